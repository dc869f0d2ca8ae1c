target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.lifetime.end.p0(i64, ptr)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @ur.wg.barrier() convergent nounwind

define internal void @ur.kernel(ptr %p0, ptr %p1, ptr noalias readonly %p2) nounwind alwaysinline {
entry:
  %t9 = alloca [8 x i8], i64 1, align 4
  %t10 = alloca [4 x i8], i64 1, align 4
  %t1 = load ptr, ptr %p2, align 8, !invariant.load !0
  %t2 = getelementptr i8, ptr %p2, i64 8
  %t3 = load ptr, ptr %t2, align 8, !invariant.load !0
  %t4 = getelementptr i8, ptr %p2, i64 16
  %t5 = load i64, ptr %t4, align 8, !invariant.load !0
  %t6 = getelementptr i8, ptr %p1, i64 8
  %t7 = load ptr, ptr %t6, align 8
  %t8 = getelementptr i8, ptr %t7, i64 %t5
  br label %b.2
exit.1:
  ret void
b.2:
  br label %b.4
exit.3:
  br label %exit.1
b.4:
  %t11 = getelementptr i8, ptr %p0, i64 32
  %t12 = load i64, ptr %t11, align 8
  %t13 = getelementptr i8, ptr %p0, i64 40
  %t14 = load i64, ptr %t13, align 8
  %t15 = getelementptr i8, ptr %p0, i64 48
  %t16 = load i64, ptr %t15, align 8
  %t17 = insertelement <3 x i64> poison, i64 %t12, i32 0
  %t18 = insertelement <3 x i64> %t17, i64 %t14, i32 1
  %t19 = insertelement <3 x i64> %t18, i64 %t16, i32 2
  %t20 = extractelement <3 x i64> %t19, i32 0
  %t21 = getelementptr i8, ptr %p0, i64 8
  %t22 = load i64, ptr %t21, align 8
  %t23 = getelementptr i8, ptr %p0, i64 16
  %t24 = load i64, ptr %t23, align 8
  %t25 = getelementptr i8, ptr %p0, i64 24
  %t26 = load i64, ptr %t25, align 8
  %t27 = insertelement <3 x i64> poison, i64 %t22, i32 0
  %t28 = insertelement <3 x i64> %t27, i64 %t24, i32 1
  %t29 = insertelement <3 x i64> %t28, i64 %t26, i32 2
  %t30 = extractelement <3 x i64> %t29, i32 0
  %t31 = getelementptr i8, ptr %p1, i64 40
  %t32 = load i64, ptr %t31, align 8
  %t33 = getelementptr i8, ptr %p1, i64 48
  %t34 = load i64, ptr %t33, align 8
  %t35 = getelementptr i8, ptr %p1, i64 56
  %t36 = load i64, ptr %t35, align 8
  %t37 = insertelement <3 x i64> poison, i64 %t32, i32 0
  %t38 = insertelement <3 x i64> %t37, i64 %t34, i32 1
  %t39 = insertelement <3 x i64> %t38, i64 %t36, i32 2
  %t40 = extractelement <3 x i64> %t39, i32 0
  call void @llvm.lifetime.start.p0(i64 -1, ptr %t9)
  %t41 = getelementptr inbounds i32, ptr %t1, i64 %t20
  %t42 = load i32, ptr %t41, align 4
  call void @f13.split(ptr %t9, i32 %t42)
  call void @llvm.lifetime.start.p0(i64 -1, ptr %t10)
  %t43 = load i32, ptr %t9, align 4
  store i32 %t43, ptr %t10, align 4
  %t44 = getelementptr inbounds i8, ptr %t9, i64 4
  %t45 = load i32, ptr %t44, align 4
  call void @f28.bump(ptr %t10, i32 %t45)
  %t46 = load i32, ptr %t10, align 4
  %t47 = add i64 %t30, 1
  %t48 = icmp eq i64 %t40, 0
  %t49 = select i1 %t48, i64 1, i64 %t40
  %t50 = urem i64 %t47, %t49
  br label %b.6
exit.5:
  %t51 = phi i32 [ %t64, %after.10 ]
  %t65 = add i32 %t51, %t46
  store i32 %t65, ptr %t10, align 4
  %t66 = urem i64 %t20, 5
  %t67 = trunc i64 %t66 to i32
  %t68 = call i32 @f50.sum_to(ptr %t1, i32 %t67)
  %t69 = add i32 %t68, %t65
  %t70 = getelementptr inbounds i32, ptr %t3, i64 %t20
  store i32 %t69, ptr %t70, align 4
  call void @llvm.lifetime.end.p0(i64 -1, ptr %t10)
  call void @llvm.lifetime.end.p0(i64 -1, ptr %t9)
  br label %exit.3
b.6:
  %t52 = getelementptr i8, ptr %p0, i64 8
  %t53 = load i64, ptr %t52, align 8
  %t54 = getelementptr i8, ptr %p0, i64 16
  %t55 = load i64, ptr %t54, align 8
  %t56 = getelementptr i8, ptr %p0, i64 24
  %t57 = load i64, ptr %t56, align 8
  %t58 = insertelement <3 x i64> poison, i64 %t53, i32 0
  %t59 = insertelement <3 x i64> %t58, i64 %t55, i32 1
  %t60 = insertelement <3 x i64> %t59, i64 %t57, i32 2
  %t61 = extractelement <3 x i64> %t60, i32 0
  %t62 = getelementptr inbounds i32, ptr %t8, i64 %t61
  store i32 %t46, ptr %t62, align 4
  br label %sync.7
sync.7:
  call void @ur.wg.barrier()
  br label %after.8
after.8:
  %t63 = getelementptr inbounds i32, ptr %t8, i64 %t50
  %t64 = load i32, ptr %t63, align 4
  br label %sync.9
sync.9:
  call void @ur.wg.barrier()
  br label %after.10
after.10:
  br label %exit.5
}

define internal i32 @f50.sum_to(ptr %p0, i32 %p1) nounwind {
entry:
  br label %b.2
exit.1:
  %t1 = phi i32 [ %t4, %b.6 ]
  ret i32 %t1
b.2:
  %t5 = icmp sgt i32 %p1, 0
  br i1 %t5, label %b.3, label %b.6
b.3:
  br label %b.4
b.4:
  %t2 = phi i32 [ 0, %b.3 ], [ %t10, %b.4 ]
  %t3 = phi i32 [ 0, %b.3 ], [ %t9, %b.4 ]
  %t6 = zext i32 %t2 to i64
  %t7 = getelementptr inbounds i32, ptr %p0, i64 %t6
  %t8 = load i32, ptr %t7, align 4
  %t9 = add i32 %t8, %t3
  %t10 = add i32 %t2, 1
  %t11 = icmp slt i32 %t10, %p1
  br i1 %t11, label %b.4, label %b.5
b.5:
  br label %b.6
b.6:
  %t4 = phi i32 [ 0, %b.2 ], [ %t9, %b.5 ]
  br label %exit.1
}

define internal void @f28.bump(ptr %p0, i32 %p1) nounwind {
entry:
  br label %b.2
exit.1:
  ret void
b.2:
  %t1 = load i32, ptr %p0, align 4
  %t2 = add i32 %t1, %p1
  store i32 %t2, ptr %p0, align 4
  br label %exit.1
}

define internal void @f13.split(ptr %p0, i32 %p1) nounwind {
entry:
  br label %b.2
exit.1:
  ret void
b.2:
  %t1 = and i32 %p1, 65535
  store i32 %t1, ptr %p0, align 4
  %t2 = getelementptr inbounds i8, ptr %p0, i64 4
  %t3 = ashr i32 %p1, 16
  store i32 %t3, ptr %t2, align 4
  br label %exit.1
}

!0 = !{}
