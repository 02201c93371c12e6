; LLVM 19: ELF COMDATs only support SelectionKind::Any and
$a = comdat largest
@x = global i32 0, comdat($a)
