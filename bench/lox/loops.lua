-- Loops: counting, adding and comparing, nested three deep. Argument: the outermost limit.

local limit = tonumber(arg[1] or 1150)

-- How many triples a < b < c <= limit are right-angled, and the sum of all squares met.
local function triangles(limit)
  local found = 0
  local sum = 0
  for a = 1, limit do
    for b = a + 1, limit do
      local square = a * a + b * b
      sum = sum + square
      for c = b + 1, limit do
        if c * c == square then found = found + 1 end
      end
    end
  end
  print(found)
  print(sum)
end

triangles(limit)
