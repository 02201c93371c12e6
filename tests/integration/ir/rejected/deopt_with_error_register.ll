; rejected: a statepoint loses the error that a swifterror argument returns
declare swiftcc void @may_fail(ptr swifterror)

define ptr @f(i64 %n) {
  %error = alloca swifterror ptr
  store ptr null, ptr %error
  call swiftcc void @may_fail(ptr swifterror %error) [ "deopt"(i64 %n) ]
  %what = load ptr, ptr %error
  ret ptr %what
}
