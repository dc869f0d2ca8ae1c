target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.sadd.sat.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.ssub.sat.i32(i32, i32)

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
  call void @f10.functions(ptr %p0, ptr %p1, ptr %t1, ptr %t3, ptr %t5)
  br label %exit.1
}

define internal void @f10.functions(ptr %p0, ptr %p1, ptr %p2, ptr %p3, ptr %p4) nounwind alwaysinline {
entry:
  br label %b.2
exit.1:
  ret void
b.2:
  %t2 = getelementptr i8, ptr %p1, i64 96
  %t3 = load i64, ptr %t2, align 8
  %t4 = getelementptr i8, ptr %p0, i64 16
  %t5 = load i64, ptr %t4, align 8
  %t6 = add i64 %t3, %t5
  %t7 = getelementptr i8, ptr %p1, i64 104
  %t8 = load i64, ptr %t7, align 8
  %t9 = getelementptr i8, ptr %p0, i64 24
  %t10 = load i64, ptr %t9, align 8
  %t11 = add i64 %t8, %t10
  %t12 = getelementptr i8, ptr %p1, i64 112
  %t13 = load i64, ptr %t12, align 8
  %t14 = getelementptr i8, ptr %p0, i64 32
  %t15 = load i64, ptr %t14, align 8
  %t16 = add i64 %t13, %t15
  %t17 = insertelement <3 x i64> poison, i64 %t6, i32 0
  %t18 = insertelement <3 x i64> %t17, i64 %t11, i32 1
  %t19 = insertelement <3 x i64> %t18, i64 %t16, i32 2
  %t20 = extractelement <3 x i64> %t19, i32 0
  %t21 = getelementptr inbounds i32, ptr %p2, i64 %t20
  %t22 = load i32, ptr %t21, align 4
  %t23 = getelementptr inbounds i32, ptr %p3, i64 %t20
  %t24 = load i32, ptr %t23, align 4
  %t25 = mul i64 %t20, 14
  %t26 = getelementptr inbounds i32, ptr %p4, i64 %t25
  %t27 = sext i32 %t22 to i64
  %t28 = sext i32 %t24 to i64
  %t29 = mul i64 %t27, %t28
  %t30 = lshr i64 %t29, 32
  %t31 = trunc i64 %t30 to i32
  store i32 %t31, ptr %t26, align 4
  %t32 = call i32 @llvm.sadd.sat.i32(i32 %t22, i32 %t24)
  %t33 = getelementptr inbounds i8, ptr %t26, i64 4
  store i32 %t32, ptr %t33, align 4
  %t34 = call i32 @llvm.ssub.sat.i32(i32 %t22, i32 %t24)
  %t35 = getelementptr inbounds i8, ptr %t26, i64 8
  store i32 %t34, ptr %t35, align 4
  %t36 = call i32 @llvm.fshl.i32(i32 %t22, i32 %t22, i32 %t24)
  %t37 = getelementptr inbounds i8, ptr %t26, i64 12
  store i32 %t36, ptr %t37, align 4
  %t38 = call i32 @llvm.ctlz.i32(i32 %t22, i1 false)
  %t39 = getelementptr inbounds i8, ptr %t26, i64 16
  store i32 %t38, ptr %t39, align 4
  %t40 = call i32 @llvm.ctpop.i32(i32 %t22)
  %t41 = getelementptr inbounds i8, ptr %t26, i64 20
  store i32 %t40, ptr %t41, align 4
  %t42 = xor i32 %t22, %t24
  %t43 = ashr i32 %t42, 1
  %t44 = and i32 %t22, %t24
  %t45 = add i32 %t44, %t43
  %t46 = getelementptr inbounds i8, ptr %t26, i64 24
  store i32 %t45, ptr %t46, align 4
  %t47 = xor i32 %t22, %t24
  %t48 = ashr i32 %t47, 1
  %t49 = or i32 %t22, %t24
  %t50 = sub i32 %t49, %t48
  %t51 = getelementptr inbounds i8, ptr %t26, i64 28
  store i32 %t50, ptr %t51, align 4
  %t52 = call i32 @llvm.smax.i32(i32 %t22, i32 %t24)
  %t53 = call i32 @llvm.smin.i32(i32 %t22, i32 %t24)
  %t54 = sub i32 %t52, %t53
  %t55 = getelementptr inbounds i8, ptr %t26, i64 32
  store i32 %t54, ptr %t55, align 4
  %t56 = call i32 @llvm.smax.i32(i32 %t22, i32 -100)
  %t57 = call i32 @llvm.smin.i32(i32 %t56, i32 100)
  %t58 = getelementptr inbounds i8, ptr %t26, i64 36
  store i32 %t57, ptr %t58, align 4
  %t59 = and i32 %t22, 4095
  %t60 = and i32 %t24, 4095
  %t61 = mul i32 %t59, %t60
  %t62 = add i32 %t61, 3
  %t63 = getelementptr inbounds i8, ptr %t26, i64 40
  store i32 %t62, ptr %t63, align 4
  %t64 = call i32 @llvm.smax.i32(i32 %t22, i32 %t24)
  %t65 = call i32 @llvm.smin.i32(i32 %t22, i32 %t24)
  %t66 = sub i32 %t64, %t65
  %t67 = getelementptr inbounds i8, ptr %t26, i64 44
  store i32 %t66, ptr %t67, align 4
  %t68 = trunc i32 %t22 to i16
  %t69 = trunc i32 %t24 to i16
  %t70 = zext i16 %t68 to i32
  %t71 = zext i16 %t69 to i32
  %t72 = shl i32 %t70, 16
  %t73 = or i32 %t72, %t71
  %t74 = getelementptr inbounds i8, ptr %t26, i64 48
  store i32 %t73, ptr %t74, align 4
  %t75 = icmp eq i32 %t24, 0
  br i1 %t75, label %b.5, label %b.3
b.3:
  %t76 = icmp eq i32 %t22, -2147483648
  %t77 = icmp eq i32 %t24, -1
  %t78 = and i1 %t76, %t77
  br i1 %t78, label %b.5, label %b.4
b.4:
  %t79 = icmp eq i32 %t24, 0
  %t80 = select i1 %t79, i32 1, i32 %t24
  %t81 = icmp eq i32 %t22, -2147483648
  %t82 = icmp eq i32 %t24, -1
  %t83 = and i1 %t81, %t82
  %t84 = select i1 %t83, i32 1, i32 %t80
  %t85 = sdiv i32 %t22, %t84
  %t86 = mul i32 %t85, 1000
  %t87 = mul i32 %t85, %t24
  %t88 = sub i32 %t22, %t87
  %t89 = add i32 %t86, %t88
  br label %b.5
b.5:
  %t1 = phi i32 [ 0, %b.2 ], [ 0, %b.3 ], [ %t89, %b.4 ]
  %t90 = getelementptr inbounds i8, ptr %t26, i64 52
  store i32 %t1, ptr %t90, align 4
  br label %exit.1
}

!0 = !{}
