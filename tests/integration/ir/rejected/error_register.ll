; rejected: a statepoint loses the error that a swifterror argument returns
declare swiftcc void @may_fail(ptr swifterror)

define ptr @f() gc "statepoint-example" {
  %error = alloca swifterror ptr
  store ptr null, ptr %error
  call swiftcc void @may_fail(ptr swifterror %error)
  %what = load ptr, ptr %error
  ret ptr %what
}
