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
  %t2 = getelementptr i8, ptr %p0, i64 32
  %t3 = load i64, ptr %t2, align 8
  %t4 = getelementptr i8, ptr %p0, i64 40
  %t5 = load i64, ptr %t4, align 8
  %t6 = getelementptr i8, ptr %p0, i64 48
  %t7 = load i64, ptr %t6, align 8
  %t8 = insertelement <3 x i64> poison, i64 %t3, i32 0
  %t9 = insertelement <3 x i64> %t8, i64 %t5, i32 1
  %t10 = insertelement <3 x i64> %t9, i64 %t7, i32 2
  %t11 = extractelement <3 x i64> %t10, i32 0
  %t12 = getelementptr inbounds i32, ptr %p2, i64 %t11
  %t13 = load i32, ptr %t12, align 4
  %t14 = getelementptr inbounds i32, ptr %p3, i64 %t11
  %t15 = load i32, ptr %t14, align 4
  %t16 = mul i64 %t11, 14
  %t17 = getelementptr inbounds i32, ptr %p4, i64 %t16
  %t18 = sext i32 %t13 to i64
  %t19 = sext i32 %t15 to i64
  %t20 = mul i64 %t18, %t19
  %t21 = lshr i64 %t20, 32
  %t22 = trunc i64 %t21 to i32
  store i32 %t22, ptr %t17, align 4
  %t23 = call i32 @llvm.sadd.sat.i32(i32 %t13, i32 %t15)
  %t24 = getelementptr inbounds i8, ptr %t17, i64 4
  store i32 %t23, ptr %t24, align 4
  %t25 = call i32 @llvm.ssub.sat.i32(i32 %t13, i32 %t15)
  %t26 = getelementptr inbounds i8, ptr %t17, i64 8
  store i32 %t25, ptr %t26, align 4
  %t27 = call i32 @llvm.fshl.i32(i32 %t13, i32 %t13, i32 %t15)
  %t28 = getelementptr inbounds i8, ptr %t17, i64 12
  store i32 %t27, ptr %t28, align 4
  %t29 = call i32 @llvm.ctlz.i32(i32 %t13, i1 false)
  %t30 = getelementptr inbounds i8, ptr %t17, i64 16
  store i32 %t29, ptr %t30, align 4
  %t31 = call i32 @llvm.ctpop.i32(i32 %t13)
  %t32 = getelementptr inbounds i8, ptr %t17, i64 20
  store i32 %t31, ptr %t32, align 4
  %t33 = xor i32 %t13, %t15
  %t34 = ashr i32 %t33, 1
  %t35 = and i32 %t13, %t15
  %t36 = add i32 %t35, %t34
  %t37 = getelementptr inbounds i8, ptr %t17, i64 24
  store i32 %t36, ptr %t37, align 4
  %t38 = xor i32 %t13, %t15
  %t39 = ashr i32 %t38, 1
  %t40 = or i32 %t13, %t15
  %t41 = sub i32 %t40, %t39
  %t42 = getelementptr inbounds i8, ptr %t17, i64 28
  store i32 %t41, ptr %t42, align 4
  %t43 = call i32 @llvm.smax.i32(i32 %t13, i32 %t15)
  %t44 = call i32 @llvm.smin.i32(i32 %t13, i32 %t15)
  %t45 = sub i32 %t43, %t44
  %t46 = getelementptr inbounds i8, ptr %t17, i64 32
  store i32 %t45, ptr %t46, align 4
  %t47 = call i32 @llvm.smax.i32(i32 %t13, i32 -100)
  %t48 = call i32 @llvm.smin.i32(i32 %t47, i32 100)
  %t49 = getelementptr inbounds i8, ptr %t17, i64 36
  store i32 %t48, ptr %t49, align 4
  %t50 = and i32 %t13, 4095
  %t51 = and i32 %t15, 4095
  %t52 = mul i32 %t50, %t51
  %t53 = add i32 %t52, 3
  %t54 = getelementptr inbounds i8, ptr %t17, i64 40
  store i32 %t53, ptr %t54, align 4
  %t55 = call i32 @llvm.smax.i32(i32 %t13, i32 %t15)
  %t56 = call i32 @llvm.smin.i32(i32 %t13, i32 %t15)
  %t57 = sub i32 %t55, %t56
  %t58 = getelementptr inbounds i8, ptr %t17, i64 44
  store i32 %t57, ptr %t58, align 4
  %t59 = trunc i32 %t13 to i16
  %t60 = trunc i32 %t15 to i16
  %t61 = zext i16 %t59 to i32
  %t62 = zext i16 %t60 to i32
  %t63 = shl i32 %t61, 16
  %t64 = or i32 %t63, %t62
  %t65 = getelementptr inbounds i8, ptr %t17, i64 48
  store i32 %t64, ptr %t65, align 4
  %t66 = icmp eq i32 %t15, 0
  br i1 %t66, label %b.5, label %b.3
b.3:
  %t67 = icmp eq i32 %t13, -2147483648
  %t68 = icmp eq i32 %t15, -1
  %t69 = and i1 %t67, %t68
  br i1 %t69, label %b.5, label %b.4
b.4:
  %t70 = icmp eq i32 %t15, 0
  %t71 = icmp eq i32 %t13, -2147483648
  %t72 = icmp eq i32 %t15, -1
  %t73 = and i1 %t71, %t72
  %t74 = or i1 %t70, %t73
  %t75 = select i1 %t74, i32 1, i32 %t15
  %t76 = sdiv i32 %t13, %t75
  %t77 = mul i32 %t76, 1000
  %t78 = mul i32 %t76, %t15
  %t79 = sub i32 %t13, %t78
  %t80 = add i32 %t77, %t79
  br label %b.5
b.5:
  %t1 = phi i32 [ 0, %b.2 ], [ 0, %b.3 ], [ %t80, %b.4 ]
  %t81 = getelementptr inbounds i8, ptr %t17, i64 52
  store i32 %t1, ptr %t81, align 4
  br label %exit.1
}

!0 = !{}
