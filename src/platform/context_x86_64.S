// The context switch for x86-64 (System V ABI). Contract: context.hpp.
//
//   saved                        why
//   rbx rbp r12 r13 r14 r15      callee-saved by the ABI: our caller relies on them
//   rsp                          is the context's handle
//   return address               already on the stack, pushed by the call
//   MXCSR, x87 control word      callee-saved by the ABI: rounding and masks belong to a fiber
//
//   not saved                    why not
//   rax rcx rdx rsi rdi r8-r11   caller-saved: the compiler has spilled what it needs
//   xmm/ymm/zmm, k, x87 stack    caller-saved as well; the x87 stack is empty at any call
//   x87 status word              undefined across a call by the ABI (MXCSR's status comes along)
//   direction flag               clear at every call by the ABI
//   fs, gs                       the thread's: thread_locals are those of the thread that resumes
//   signal mask                  the thread's; a system call would cost a hundred switches
//   shadow stack                 not supported (context.hpp): the note at the end claims IBT only
//   AMX tiles                    caller-saved
//
// The image of a suspended context, from its stack pointer upwards:
//
//   0 MXCSR   4 x87 CW   8 r15   16 r14   24 r13   32 r12   40 rbx   48 rbp   56 return address
//
// Measured on a Zen server, and why it is as it is:
// - It leaves by ret, and a fresh entry is returned into rather than called. pop and jmp are faster
//   in a bare ping-pong (5 ns against 10), but leave the processor's stack of return addresses one
//   off, and then every return above the switch is mispredicted: 33 ns against 11 where both sides
//   return through two frames; 34 against 25 for a fresh context that runs and switches back below
//   four frames (44 if its entry is called).
// - The x87 control word is compared and loaded only where it differs, MXCSR is loaded always: each
//   the cheaper of the two. Saving MXCSR is 3 ns of the whole, and the ABI asks for it.

        .text

// void* heist_v0_context_switch(void** from_sp [rdi], void* to_sp [rsi], void* payload [rdx])
        .globl  heist_v0_context_switch
        .hidden heist_v0_context_switch
        .type   heist_v0_context_switch, @function
        .p2align 4
heist_v0_context_switch:
        .cfi_startproc
        endbr64
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r12, 0
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r13, 0
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r14, 0
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r15, 0
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movzwl  4(%rsp), %ecx
        movq    %rsp, (%rdi)
        // From here on the frame is the target's. It has the same shape, so the same unwind rules
        // hold for it.
        movq    %rsi, %rsp
        ldmxcsr (%rsp)
        cmpw    4(%rsp), %cx
        jne     .Lload_x87
.Lx87_is_right:
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r15
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r15
        popq    %r14
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r14
        popq    %r13
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r13
        popq    %r12
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r12
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbx
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbp
        movq    %rdx, %rax              // what the switch returns in a context that was suspended
        movq    %rdx, %rdi              // the entry's argument in a fresh one
        ret

        // Out of the way of the usual path. The frame is complete here again.
        .cfi_adjust_cfa_offset 56
        .cfi_rel_offset %rbp, 48
        .cfi_rel_offset %rbx, 40
        .cfi_rel_offset %r12, 32
        .cfi_rel_offset %r13, 24
        .cfi_rel_offset %r14, 16
        .cfi_rel_offset %r15, 8
.Lload_x87:
        fldcw   4(%rsp)
        jmp     .Lx87_is_right
        .cfi_endproc
        .size   heist_v0_context_switch, . - heist_v0_context_switch

// void* heist_v0_context_make(void* stack_top [rdi], void (*entry)(void*) [rsi])
//
// The first switch returns straight into the entry, with the stack as after a call from
// .Lentry_caller. rbp is zero, so walkers of frame pointers stop; the 16 bytes of zeros at the very
// top are what such a walker would read as the next frame.
        .globl  heist_v0_context_make
        .hidden heist_v0_context_make
        .type   heist_v0_context_make, @function
        .p2align 4
heist_v0_context_make:
        .cfi_startproc
        endbr64
        andq    $-16, %rdi
        leaq    -88(%rdi), %rax
        xorl    %ecx, %ecx
        stmxcsr (%rax)
        movl    %ecx, 4(%rax)           // also the two bytes above the x87 control word
        fnstcw  4(%rax)
        movq    %rcx, 8(%rax)
        movq    %rcx, 16(%rax)
        movq    %rcx, 24(%rax)
        movq    %rcx, 32(%rax)
        movq    %rcx, 40(%rax)
        movq    %rcx, 48(%rax)
        movq    %rsi, 56(%rax)
        leaq    .Lentry_returned(%rip), %rdx
        movq    %rdx, 64(%rax)
        movq    %rcx, 72(%rax)
        movq    %rcx, 80(%rax)
        ret
        .cfi_endproc
        .size   heist_v0_context_make, . - heist_v0_context_make

// void* heist_v0_context_call(void* argument [rdi], void* stack_top [rsi], uint64_t number [rdx],
//                             void (*function)(void*, void*, uint64_t) [rcx], void** from_sp [r8],
//                             uint64_t float_modes [r9])
//
// Leaves the image of a suspended context, then calls, with the arguments as they are. The function
// keeps rbx for us, so the way back needs nothing else; the control words are right, as after any
// call. float_modes: MXCSR and, from bit 32 on, the x87 control word, to be left in the image if
// the x87 word is still the same; storing MXCSR anew takes 16 cycles on a Zen 5.
        .globl  heist_v0_context_call
        .type   heist_v0_context_call, @function
        .p2align 4
heist_v0_context_call:
        .cfi_startproc
        endbr64
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r12, 0
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r13, 0
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r14, 0
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r15, 0
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        movq    %r9, %rax
        shrq    $32, %rax
        jz      .Lstore_modes
        fnstcw  (%rsp)
        cmpw    (%rsp), %ax
        jne     .Lstore_modes
        movq    %r9, (%rsp)
.Lmodes_are_stored:
        movq    %rsp, (%r8)
        movq    %rsp, %rbx
        // The spawner's frames may be running elsewhere by the time of an unwinding: it ends here.
        .cfi_remember_state
        .cfi_undefined %rip
        xorl    %ebp, %ebp
        movq    %rsi, %rsp
        call    *%rcx
        movq    %rbx, %rsp
        .cfi_restore_state
        movq    40(%rsp), %rbx
        .cfi_restore %rbx
        movq    48(%rsp), %rbp
        .cfi_restore %rbp
        addq    $56, %rsp               // r12 to r15 are as the function left them: as they were
        .cfi_adjust_cfa_offset -56
        xorl    %eax, %eax
        ret

        // Out of the way of the usual path. The frame is complete here again.
        .cfi_adjust_cfa_offset 56
        .cfi_rel_offset %rbp, 48
        .cfi_rel_offset %rbx, 40
        .cfi_rel_offset %r12, 32
        .cfi_rel_offset %r13, 24
        .cfi_rel_offset %r14, 16
        .cfi_rel_offset %r15, 8
.Lstore_modes:
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        jmp     .Lmodes_are_stored
        .cfi_endproc
        .size   heist_v0_context_call, . - heist_v0_context_call

// What a backtrace finds as the entry's caller. Nothing ever runs here, unless an entry returns.
// rip is undefined, which is how DWARF says that the unwinding ends; unwinders look up the byte
// before a return address, hence the nop.
        .type   .Lentry_caller, @function
        .p2align 4
.Lentry_caller:
        .cfi_startproc
        .cfi_def_cfa %rsp, 16
        .cfi_undefined %rip
        nop
.Lentry_returned:
        ud2
        .cfi_endproc
        .size   .Lentry_caller, . - .Lentry_caller

        .section .note.GNU-stack, "", @progbits

// IBT yes (the entries begin with endbr64), SHSTK no.
        .section .note.gnu.property, "a", @note
        .p2align 3
        .long   4                       // name size
        .long   16                      // descriptor size
        .long   5                       // NT_GNU_PROPERTY_TYPE_0
        .asciz  "GNU"
        .long   0xc0000002              // GNU_PROPERTY_X86_FEATURE_1_AND
        .long   4
        .long   1                       // IBT
        .long   0
