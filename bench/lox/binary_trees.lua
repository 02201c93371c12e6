-- Binary trees: allocation, short and long lives. Argument: the depth of the deepest tree.

local max_depth = tonumber(arg[1] or 15)

local Tree = {}
Tree.__index = Tree

function Tree.new(left, right)
  return setmetatable({left = left, right = right}, Tree)
end

function Tree:count()
  if self.left == nil then return 1 end
  return 1 + self.left:count() + self.right:count()
end

local function build(depth)
  if depth == 0 then return Tree.new(nil, nil) end
  return Tree.new(build(depth - 1), build(depth - 1))
end

local function run(max_depth)
  local long_lived = build(max_depth)
  local trees = 16
  for i = 1, max_depth do trees = trees * 2 end
  for depth = 4, max_depth, 2 do
    local rounds = trees
    for i = 1, depth do rounds = rounds / 2 end
    local nodes = 0
    for i = 1, rounds do nodes = nodes + build(depth):count() end
    print(nodes)
  end
  print(long_lived:count())
end

run(max_depth)
