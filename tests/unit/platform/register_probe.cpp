// See register_probe.hpp.
#include "register_probe.hpp"

#if defined(__x86_64__)
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
