-- Closures: made, composed and called; two share one captured variable.
-- Argument: the number of rounds.

local rounds = tonumber(arg[1] or 4500000)

local function compose(f, g)
  return function(x) return f(g(x)) end
end

local function adder(amount)
  return function(x) return x + amount end
end

local function account(balance)
  local function deposit(amount)
    balance = balance + amount
  end
  local function read()
    return balance
  end
  return {deposit, read}
end

local function run(rounds)
  local savings = account(100)
  local deposit = savings[1]
  local read = savings[2]
  local sum = 0
  for i = 0, rounds - 1 do
    local f = compose(adder(i), adder(-1))
    sum = sum + f(1)
    deposit(2)
    sum = sum + f(read())
  end
  print(sum)
  print(read())
end

run(rounds)
