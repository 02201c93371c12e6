-- String building: lines put together from words and numbers, taken apart and compared.
-- Argument: the number of lines.

local lines = tonumber(arg[1] or 260000)

local words = {"alpha", "beta", "gamma", "delta", "epsilon"}

local function make_line(number)
  local line = tostring(number) .. ":"
  for i = 1, #words do line = line .. " " .. words[i] .. tostring(number) end
  return line
end

local function count_spaces(text)
  local spaces = 0
  for i = 1, #text do
    if text:sub(i, i) == " " then spaces = spaces + 1 end
  end
  return spaces
end

-- By hand, as the Lox program has to do it.
local function reverse(text)
  local result = ""
  for i = 1, #text do result = text:sub(i, i) .. result end
  return result
end

local function run(lines)
  local characters = 0
  local spaces = 0
  local same = 0
  for i = 0, lines - 1 do
    local line = make_line(i)
    characters = characters + #line
    spaces = spaces + count_spaces(line)
    if reverse(line:sub(1, 20)) == reverse(make_line(i):sub(1, 20)) then same = same + 1 end
  end
  print(characters)
  print(spaces)
  print(same)
end

run(lines)
