; rejected: no comdats of this kind
$a = comdat largest
@x = global i32 0, comdat($a)
