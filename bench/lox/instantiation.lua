-- Instantiation: objects with four fields, made by an initializer and dropped, except that
-- a short window of them stays linked. Argument: the number of objects.

local objects = tonumber(arg[1] or 12000000)

local Point = {}
Point.__index = Point

function Point.new(x, y, label, previous)
  return setmetatable({x = x, y = y, label = label, previous = previous}, Point)
end

local function run(objects)
  local last = nil
  local length = 0
  local sum = 0
  for i = 0, objects - 1 do
    last = Point.new(i, -i, "point", last)
    length = length + 1
    if length == 100 then
      local point = last
      while point do
        sum = sum + point.x
        point = point.previous
      end
      last = nil
      length = 0
    end
  end
  print(sum)
end

run(objects)
