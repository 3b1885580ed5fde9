// See register_probe.hpp.
#include "register_probe.hpp"

#if defined(__x86_64__) && defined(_WIN32)
asm(R"(
        .text
        .globl  heist_test_probe_switch
        .seh_proc heist_test_probe_switch
heist_test_probe_switch:
        pushq   %rbx
        .seh_pushreg %rbx
        pushq   %rbp
        .seh_pushreg %rbp
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
        .seh_endprologue
        movups  %xmm6, 32(%rsp)
        movups  %xmm7, 48(%rsp)
        movups  %xmm8, 64(%rsp)
        movups  %xmm9, 80(%rsp)
        movups  %xmm10, 96(%rsp)
        movups  %xmm11, 112(%rsp)
        movups  %xmm12, 128(%rsp)
        movups  %xmm13, 144(%rsp)
        movups  %xmm14, 160(%rsp)
        movups  %xmm15, 176(%rsp)
        movq    0(%r9), %rbx
        movq    8(%r9), %rbp
        movq    16(%r9), %rdi
        movq    24(%r9), %rsi
        movq    32(%r9), %r12
        movq    40(%r9), %r13
        movq    48(%r9), %r14
        movq    56(%r9), %r15
        movups  64(%r9), %xmm6
        movups  80(%r9), %xmm7
        movups  96(%r9), %xmm8
        movups  112(%r9), %xmm9
        movups  128(%r9), %xmm10
        movups  144(%r9), %xmm11
        movups  160(%r9), %xmm12
        movups  176(%r9), %xmm13
        movups  192(%r9), %xmm14
        movups  208(%r9), %xmm15
        call    heist_v0_context_switch
        movq    304(%rsp), %r8
        movq    %rbx, 0(%r8)
        movq    %rbp, 8(%r8)
        movq    %rdi, 16(%r8)
        movq    %rsi, 24(%r8)
        movq    %r12, 32(%r8)
        movq    %r13, 40(%r8)
        movq    %r14, 48(%r8)
        movq    %r15, 56(%r8)
        movups  %xmm6, 64(%r8)
        movups  %xmm7, 80(%r8)
        movups  %xmm8, 96(%r8)
        movups  %xmm9, 112(%r8)
        movups  %xmm10, 128(%r8)
        movups  %xmm11, 144(%r8)
        movups  %xmm12, 160(%r8)
        movups  %xmm13, 176(%r8)
        movups  %xmm14, 192(%r8)
        movups  %xmm15, 208(%r8)
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
        addq    $200, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rsi
        popq    %rdi
        popq    %rbp
        popq    %rbx
        ret
        .seh_endproc
)");
#elif defined(__x86_64__)
asm(R"(
        .text
        .globl  heist_test_probe_switch
        .type   heist_test_probe_switch, @function
heist_test_probe_switch:
        endbr64
        pushq   %rbx
        pushq   %rbp
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        pushq   %r8
        movq    0(%rcx), %rbx
        movq    8(%rcx), %rbp
        movq    16(%rcx), %r12
        movq    24(%rcx), %r13
        movq    32(%rcx), %r14
        movq    40(%rcx), %r15
        call    heist_v0_context_switch
        popq    %r8
        movq    %rbx, 0(%r8)
        movq    %rbp, 8(%r8)
        movq    %r12, 16(%r8)
        movq    %r13, 24(%r8)
        movq    %r14, 32(%r8)
        movq    %r15, 40(%r8)
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbp
        popq    %rbx
        ret
        .size   heist_test_probe_switch, . - heist_test_probe_switch
)");
#elif defined(__aarch64__)
asm(R"(
        .text
        .globl  heist_test_probe_switch
        .type   heist_test_probe_switch, %function
heist_test_probe_switch:
        hint    34
        sub     sp, sp, #176
        stp     x19, x20, [sp, #0]
        stp     x21, x22, [sp, #16]
        stp     x23, x24, [sp, #32]
        stp     x25, x26, [sp, #48]
        stp     x27, x28, [sp, #64]
        stp     x29, x30, [sp, #80]
        stp     d8, d9, [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        str     x4, [sp, #160]
        ldp     x19, x20, [x3, #0]
        ldp     x21, x22, [x3, #16]
        ldp     x23, x24, [x3, #32]
        ldp     x25, x26, [x3, #48]
        ldp     x27, x28, [x3, #64]
        ldp     x29, x4, [x3, #80]
        fmov    d8, x4
        ldp     d9, d10, [x3, #96]
        ldp     d11, d12, [x3, #112]
        ldp     d13, d14, [x3, #128]
        ldr     d15, [x3, #144]
        bl      heist_v0_context_switch
        ldr     x4, [sp, #160]
        stp     x19, x20, [x4, #0]
        stp     x21, x22, [x4, #16]
        stp     x23, x24, [x4, #32]
        stp     x25, x26, [x4, #48]
        stp     x27, x28, [x4, #64]
        str     x29, [x4, #80]
        str     d8, [x4, #88]
        stp     d9, d10, [x4, #96]
        stp     d11, d12, [x4, #112]
        stp     d13, d14, [x4, #128]
        str     d15, [x4, #144]
        ldp     x19, x20, [sp, #0]
        ldp     x21, x22, [sp, #16]
        ldp     x23, x24, [sp, #32]
        ldp     x25, x26, [sp, #48]
        ldp     x27, x28, [sp, #64]
        ldp     x29, x30, [sp, #80]
        ldp     d8, d9, [sp, #96]
        ldp     d10, d11, [sp, #112]
        ldp     d12, d13, [sp, #128]
        ldp     d14, d15, [sp, #144]
        add     sp, sp, #176
        ret
        .size   heist_test_probe_switch, . - heist_test_probe_switch
)");
#endif
