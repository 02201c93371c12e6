-- Method calls: three classes answer the same calls, one through its superclass.
-- Argument: the number of rounds.

local rounds = tonumber(arg[1] or 7000000)

local Switch = {}
Switch.__index = Switch

function Switch.new()
  return setmetatable({on = false}, Switch)
end

function Switch:toggle()
  self.on = not self.on
  return self
end

function Switch:value()
  if self.on then return 1 end
  return 0
end

local Dimmer = setmetatable({}, {__index = Switch})
Dimmer.__index = Dimmer

function Dimmer.new(steps)
  return setmetatable({on = false, steps = steps, step = 0}, Dimmer)
end

function Dimmer:toggle()
  self.step = self.step + 1
  if self.step == self.steps then
    Switch.toggle(self)
    self.step = 0
  end
  return self
end

local Counter = {}
Counter.__index = Counter

function Counter.new()
  return setmetatable({count = 0}, Counter)
end

function Counter:toggle()
  self.count = self.count + 1
  return self
end

function Counter:value()
  return 2
end

local function run(rounds)
  local switch = Switch.new()
  local dimmer = Dimmer.new(3)
  local counter = Counter.new()
  local devices = {switch, dimmer, counter}
  local sum = 0
  for i = 1, rounds do
    sum = sum + switch:toggle():value() + dimmer:toggle():value()
    for j = 1, 3 do sum = sum + devices[j]:toggle():value() end
  end
  print(sum)
  print(counter.count)
end

run(rounds)
