-- Calls: the doubly recursive Fibonacci function. Argument: which number.

local n = tonumber(arg[1] or 38)

local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end

print(fib(n))
