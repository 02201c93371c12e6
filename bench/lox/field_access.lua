-- Field access: particles in a box, whose six fields are read and written at every step.
-- Argument: the number of steps.

local steps = tonumber(arg[1] or 25000)

local function Particle(x, y, z)
  return {x = x, y = y, z = z, dx = 1, dy = 2, dz = 3}
end

local function move(p)
  p.x = p.x + p.dx
  p.y = p.y + p.dy
  p.z = p.z + p.dz
  if p.x < 0 or p.x > 1000 then p.dx = -p.dx end
  if p.y < 0 or p.y > 1000 then p.dy = -p.dy end
  if p.z < 0 or p.z > 1000 then p.dz = -p.dz end
end

local function run(steps)
  local particles = {}
  for i = 0, 999 do particles[i + 1] = Particle(i, 1000 - i, i / 2) end
  for step = 1, steps do
    for i = 1, 1000 do move(particles[i]) end
  end
  local sum = 0
  for i = 1, 1000 do
    local p = particles[i]
    sum = sum + p.x + p.y * 2 + p.z * 4
  end
  print(string.format("%.0f", sum))
end

run(steps)
