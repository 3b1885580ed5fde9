// The context switch for x86-64 Windows (Microsoft's x64 ABI). Contract: context.hpp.
//
//   saved                        why
//   rbx rbp rdi rsi r12-r15      callee-saved by this ABI: our caller relies on them
//   xmm6-xmm15                   callee-saved by this ABI, their low 128 bits
//   rsp                          is the context's handle
//   return address               already on the stack, pushed by the call
//   MXCSR, x87 control word      callee-saved by the ABI: rounding and masks belong to a fiber
//   StackBase, StackLimit,       of the thread's environment block (gs:8, gs:16, gs:0x1478):
//   DeallocationStack            Windows dispatches exceptions and detects overflows by them, and
//                                they describe the stack that runs
//   ExceptionList                of the same block (gs:0): Windows' 64-bit code doesn't use it, but
//                                Wine's does, and takes an entry below the stack pointer for an
//                                inner frame; a fresh stack has none (-1)
//
//   not saved                    why not
//   rax rcx rdx r8-r11           caller-saved: the compiler has spilled what it needs
//   xmm0-5, upper halves of ymm  caller-saved as well
//   FiberData (gs:0x20)          belongs to Windows' own fibers, which these are not
//   GuaranteedStackBytes         the thread's: how much of a full stack its handlers get
//   shadow stack                 not supported (context.hpp): don't link with /CETCOMPAT
//
// The image of a suspended context, from its stack pointer upwards:
//
//   0 MXCSR   4 x87 CW   8 StackBase   16 StackLimit   24 DeallocationStack   32 xmm6 ... 176 xmm15
//   192 ExceptionList   200 r15   208 r14   216 r13   224 r12   232 rsi   240 rdi   248 rbx
//   256 rbp   264 return address
//
// An image lies at a multiple of 16 if it was suspended by a call, and 8 above one if it is fresh:
// hence movups, which takes no longer. As in context_x86_64.S it leaves by ret, and the x87
// control word is loaded only where it differs.

        .text

        // Pushes the general registers, makes room for the rest, and tells the unwinder of both.
        .macro  save_registers
        pushq   %rbp
        .seh_pushreg %rbp
        pushq   %rbx
        .seh_pushreg %rbx
        pushq   %rdi
        .seh_pushreg %rdi
        pushq   %rsi
        .seh_pushreg %rsi
        pushq   %r12
        .seh_pushreg %r12
        pushq   %r13
        .seh_pushreg %r13
        pushq   %r14
        .seh_pushreg %r14
        pushq   %r15
        .seh_pushreg %r15
        subq    $200, %rsp
        .seh_stackalloc 200
        movups  %xmm6, 32(%rsp)
        .seh_savexmm %xmm6, 32
        movups  %xmm7, 48(%rsp)
        .seh_savexmm %xmm7, 48
        movups  %xmm8, 64(%rsp)
        .seh_savexmm %xmm8, 64
        movups  %xmm9, 80(%rsp)
        .seh_savexmm %xmm9, 80
        movups  %xmm10, 96(%rsp)
        .seh_savexmm %xmm10, 96
        movups  %xmm11, 112(%rsp)
        .seh_savexmm %xmm11, 112
        movups  %xmm12, 128(%rsp)
        .seh_savexmm %xmm12, 128
        movups  %xmm13, 144(%rsp)
        .seh_savexmm %xmm13, 144
        movups  %xmm14, 160(%rsp)
        .seh_savexmm %xmm14, 160
        movups  %xmm15, 176(%rsp)
        .seh_savexmm %xmm15, 176
        .seh_endprologue
        .endm

        // The bounds of the running stack, to the image; overwrites rax, r10 and r11.
        .macro  save_bounds
        movq    %gs:0x08, %rax
        movq    %gs:0x10, %r10
        movq    %gs:0x1478, %r11
        movq    %rax, 8(%rsp)
        movq    %r10, 16(%rsp)
        movq    %r11, 24(%rsp)
        movq    %gs:0x00, %rax
        movq    %rax, 192(%rsp)
        .endm

        // Those of the image, to the thread.
        .macro  load_bounds
        movq    8(%rsp), %rax
        movq    16(%rsp), %r10
        movq    24(%rsp), %r11
        movq    %rax, %gs:0x08
        movq    %r10, %gs:0x10
        movq    %r11, %gs:0x1478
        movq    192(%rsp), %rax
        movq    %rax, %gs:0x00
        .endm

// void* heist_v0_context_switch(void** from_sp [rcx], void* to_sp [rdx], void* payload [r8])
        .globl  heist_v0_context_switch
        .def    heist_v0_context_switch; .scl 2; .type 32; .endef
        .p2align 4
        .seh_proc heist_v0_context_switch
heist_v0_context_switch:
        save_registers
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movzwl  4(%rsp), %r9d
        save_bounds
        movq    %rsp, (%rcx)
        // From here on the frame is the target's. It has the same shape, so the same unwind rules
        // hold for it.
        movq    %rdx, %rsp
        load_bounds
        ldmxcsr (%rsp)
        cmpw    4(%rsp), %r9w
        jne     .Lload_x87
.Lx87_is_right:
        movups  32(%rsp), %xmm6
        movups  48(%rsp), %xmm7
        movups  64(%rsp), %xmm8
        movups  80(%rsp), %xmm9
        movups  96(%rsp), %xmm10
        movups  112(%rsp), %xmm11
        movups  128(%rsp), %xmm12
        movups  144(%rsp), %xmm13
        movups  160(%rsp), %xmm14
        movups  176(%rsp), %xmm15
        movq    %r8, %rax               // what the switch returns in a context that was suspended
        movq    %r8, %rcx               // the entry's argument in a fresh one
        addq    $200, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rsi
        popq    %rdi
        popq    %rbx
        popq    %rbp
        ret

.Lload_x87:
        fldcw   4(%rsp)
        jmp     .Lx87_is_right
        .seh_endproc

// void* heist_v0_context_make(void* stack_top [rcx], void (*entry)(void*) [rdx])
//
// From the top downwards: the bounds (note_stack_bounds), a return address of zero at which
// unwinding ends, the 32 bytes that the ABI lets a callee use, the return address of the entry.
        .globl  heist_v0_context_make
        .def    heist_v0_context_make; .scl 2; .type 32; .endef
        .p2align 4
heist_v0_context_make:
        andq    $-16, %rcx
        leaq    -344(%rcx), %rax
        xorl    %r8d, %r8d
        stmxcsr (%rax)
        movl    %r8d, 4(%rax)           // also the two bytes above the x87 control word
        fnstcw  4(%rax)
        movq    -16(%rcx), %r9
        movq    -8(%rcx), %r10
        movq    %rcx, 8(%rax)
        movq    %r9, 16(%rax)
        movq    %r10, 24(%rax)
        movq    $-1, 192(%rax)
        movq    %r8, 256(%rax)          // rbp; in the other registers anything may stand
        movq    %rdx, 264(%rax)
        leaq    .Lentry_returned(%rip), %rdx
        movq    %rdx, 272(%rax)
        movq    %r8, 320(%rax)
        ret

// void* heist_v0_context_call(void* argument [rcx], void* stack_top [rdx], uint64_t number [r8],
//                             void (*function)(void*, void*, uint64_t) [r9],
//                             void** from_sp [rsp + 40], uint64_t float_modes [rsp + 48])
//
// Leaves the image of a suspended context, then calls, with the arguments as they are. The function
// keeps rbx for us, and all callee-saved registers but rbp as they were. float_modes as in
// context_x86_64.S. Unwind information belongs to ranges of addresses, so the part on the new stack
// and the way back are functions of their own.
        .globl  heist_v0_context_call
        .def    heist_v0_context_call; .scl 2; .type 32; .endef
        .p2align 4
        .seh_proc heist_v0_context_call
heist_v0_context_call:
        save_registers
        save_bounds
        movq    312(%rsp), %rax
        movq    %rax, %r11
        shrq    $32, %r11
        jz      .Lstore_modes
        fnstcw  (%rsp)
        cmpw    (%rsp), %r11w
        jne     .Lstore_modes
        movq    %rax, (%rsp)
.Lmodes_are_stored:
        movq    304(%rsp), %rax
        movq    %rsp, (%rax)
        movq    %rsp, %rbx
        jmp     .Lcall_elsewhere

.Lstore_modes:
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        jmp     .Lmodes_are_stored
        .seh_endproc

        // The spawner's frames may be running elsewhere by the time of an unwinding: it ends
        // here, at the return address of zero.
        .p2align 4
        .seh_proc .Lcall_elsewhere
.Lcall_elsewhere:
        .seh_stackalloc 40
        .seh_endprologue
        movq    -16(%rdx), %r10
        movq    -8(%rdx), %r11
        xorl    %ebp, %ebp
        movq    %rdx, %gs:0x08
        movq    %r10, %gs:0x10
        movq    %r11, %gs:0x1478
        movq    $-1, %gs:0x00
        leaq    -64(%rdx), %rsp
        movq    %rbp, 40(%rsp)
        call    *%r9
        movq    %rbx, %rsp
        jmp     .Lback
        .seh_endproc

        // The frame as heist_v0_context_call has made it.
        .p2align 4
        .seh_proc .Lback
.Lback:
        .seh_pushreg %rbp
        .seh_pushreg %rbx
        .seh_stackalloc 248
        .seh_endprologue
        load_bounds
        movq    248(%rsp), %rbx
        movq    256(%rsp), %rbp
        addq    $264, %rsp
        xorl    %eax, %eax
        ret
        .seh_endproc

// What a backtrace finds as the entry's caller. Nothing ever runs here, unless an entry returns.
// Unwinders look up the byte before a return address, hence the nop.
        .p2align 4
        .seh_proc .Lentry_caller
.Lentry_caller:
        .seh_stackalloc 40
        .seh_endprologue
        nop
.Lentry_returned:
        ud2
        .seh_endproc
