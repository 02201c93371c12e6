-- Lists: quicksort of scattered numbers, in place. Argument: the number of elements.

local elements = tonumber(arg[1] or 5000000)

-- Steps round a circle, without hitting the same place twice in ten million.
local function scattered(count)
  local list = {}
  local place = 0
  for i = 1, count do
    place = place + 6180339
    if place >= 10000019 then place = place - 10000019 end
    list[i] = place
  end
  return list
end

-- Sorts from index low to index high, recursing into the shorter part.
local function sort(list, low, high)
  while low < high do
    local pivot = list[high]
    local i = low
    for j = low, high - 1 do
      local value = list[j]
      if value < pivot then
        list[j] = list[i]
        list[i] = value
        i = i + 1
      end
    end
    list[high] = list[i]
    list[i] = pivot
    if i - low < high - i then
      sort(list, low, i - 1)
      low = i + 1
    else
      sort(list, i + 1, high)
      high = i - 1
    end
  end
end

local function run(elements)
  local list = scattered(elements)
  sort(list, 1, #list)
  local sum = 0
  local ordered = true
  for i = 1, #list do
    if i > 1 and list[i - 1] >= list[i] then ordered = false end
    if i <= 1000 then sum = sum + list[i] * i end
  end
  print(ordered)
  print(list[1])
  print(list[elements])
  print(sum)
end

run(elements)
