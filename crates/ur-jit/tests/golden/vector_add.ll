target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define internal void @ur.kernel(ptr %p0, ptr %p1, ptr noalias readonly %p2) nounwind alwaysinline {
entry:
  %t1 = load ptr, ptr %p2, align 8, !invariant.load !0
  %t2 = getelementptr i8, ptr %p2, i64 8
  %t3 = load ptr, ptr %t2, align 8, !invariant.load !0
  %t4 = getelementptr i8, ptr %p2, i64 16
  %t5 = load ptr, ptr %t4, align 8, !invariant.load !0
  br label %b.2
exit.1:
  ret void
b.2:
  call void @f10.vector_add(ptr %p0, ptr %p1, ptr %t1, ptr %t3, ptr %t5)
  br label %exit.1
}

define internal void @f10.vector_add(ptr %p0, ptr %p1, ptr %p2, ptr %p3, ptr %p4) nounwind alwaysinline {
entry:
  br label %b.2
exit.1:
  ret void
b.2:
  %t1 = getelementptr i8, ptr %p0, i64 32
  %t2 = load i64, ptr %t1, align 8
  %t3 = getelementptr i8, ptr %p0, i64 40
  %t4 = load i64, ptr %t3, align 8
  %t5 = getelementptr i8, ptr %p0, i64 48
  %t6 = load i64, ptr %t5, align 8
  %t7 = insertelement <3 x i64> poison, i64 %t2, i32 0
  %t8 = insertelement <3 x i64> %t7, i64 %t4, i32 1
  %t9 = insertelement <3 x i64> %t8, i64 %t6, i32 2
  %t10 = extractelement <3 x i64> %t9, i32 0
  %t11 = getelementptr inbounds float, ptr %p2, i64 %t10
  %t12 = load float, ptr %t11, align 4
  %t13 = getelementptr inbounds float, ptr %p3, i64 %t10
  %t14 = load float, ptr %t13, align 4
  %t15 = fadd float %t12, %t14
  %t16 = getelementptr inbounds float, ptr %p4, i64 %t10
  store float %t15, ptr %t16, align 4
  br label %exit.1
}

!0 = !{}
