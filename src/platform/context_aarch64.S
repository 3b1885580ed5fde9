// The context switch for AArch64 (AAPCS64). Contract: context.hpp.
//
//   saved            why
//   x19-x28          callee-saved by the ABI: our caller relies on them
//   x29 x30          frame pointer; return address, which is where the context resumes
//   sp               is the context's handle
//   d8-d15           callee-saved: the low 64 bits; the upper halves of v8-v15 are the caller's
//   FPCR             callee-saved by the ABI: rounding and traps belong to a fiber
//
//   not saved        why not
//   x0-x17           caller-saved: the compiler has spilled what it needs across this call
//   x18              the platform register: reserved, or the thread's
//   v0-v7 v16-v31    caller-saved; so are SVE's z and p registers across an ordinary call
//   FPSR             status; the ABI leaves it undefined across a call
//   TPIDR_EL0        the thread's: thread_locals are those of the thread that resumes
//   signal mask      the thread's; a system call would cost a hundred switches
//   PSTATE.SM, ZA    a switch is made with streaming mode off and ZA dormant, as any ordinary call
//   GCS              guarded control stacks are not supported (context.hpp)
//
// Return addresses are stored as they are: with pointer authentication the caller has signed its
// own in its own frame. The entries begin with `bti c`; the switch leaves by ret, which BTI lets
// through.
//
// The image of a suspended context, from its stack pointer upwards:
//
//   0 d8-d15   64 x19-x28   144 x29 x30   160 FPCR   168 unused
//
// FPCR is written only where it differs: the write drains the pipeline on many cores.

        .text

        .set    image_bytes, 176

// ELF and Mach-O name and mark functions differently.
#if defined(__APPLE__)
#define NAME(f) _##f
#define LOCAL(label) L##label
#define HIDDEN(f) .private_extern _##f
#define TYPE(f)
#define SIZE(f)
#else
#define NAME(f) f
#define LOCAL(label) .L##label
#define HIDDEN(f) .hidden f
#define TYPE(f) .type f, %function
#define SIZE(f) .size f, . - f
#endif

// void* heist_v0_context_switch(void** from_sp [x0], void* to_sp [x1], void* payload [x2])
        .globl  NAME(heist_v0_context_switch)
        HIDDEN(heist_v0_context_switch)
        TYPE(heist_v0_context_switch)
        .p2align 4
NAME(heist_v0_context_switch):
        .cfi_startproc
        hint    34                      // bti c, under the name that every assembler knows
        sub     sp, sp, #image_bytes
        .cfi_adjust_cfa_offset image_bytes
        stp     d8, d9, [sp, #0]
        .cfi_rel_offset d8, 0
        .cfi_rel_offset d9, 8
        stp     d10, d11, [sp, #16]
        .cfi_rel_offset d10, 16
        .cfi_rel_offset d11, 24
        stp     d12, d13, [sp, #32]
        .cfi_rel_offset d12, 32
        .cfi_rel_offset d13, 40
        stp     d14, d15, [sp, #48]
        .cfi_rel_offset d14, 48
        .cfi_rel_offset d15, 56
        stp     x19, x20, [sp, #64]
        .cfi_rel_offset x19, 64
        .cfi_rel_offset x20, 72
        stp     x21, x22, [sp, #80]
        .cfi_rel_offset x21, 80
        .cfi_rel_offset x22, 88
        stp     x23, x24, [sp, #96]
        .cfi_rel_offset x23, 96
        .cfi_rel_offset x24, 104
        stp     x25, x26, [sp, #112]
        .cfi_rel_offset x25, 112
        .cfi_rel_offset x26, 120
        stp     x27, x28, [sp, #128]
        .cfi_rel_offset x27, 128
        .cfi_rel_offset x28, 136
        stp     x29, x30, [sp, #144]
        .cfi_rel_offset x29, 144
        .cfi_rel_offset x30, 152
        mrs     x3, fpcr
        str     x3, [sp, #160]
        mov     x4, sp
        str     x4, [x0]
        // From here on the frame is the target's. It has the same shape, so the same unwind rules
        // hold for it.
        mov     sp, x1
        ldr     x4, [sp, #160]
        cmp     x3, x4
        b.eq    1f
        msr     fpcr, x4
1:      ldp     d8, d9, [sp, #0]
        .cfi_restore d8
        .cfi_restore d9
        ldp     d10, d11, [sp, #16]
        .cfi_restore d10
        .cfi_restore d11
        ldp     d12, d13, [sp, #32]
        .cfi_restore d12
        .cfi_restore d13
        ldp     d14, d15, [sp, #48]
        .cfi_restore d14
        .cfi_restore d15
        ldp     x19, x20, [sp, #64]
        .cfi_restore x19
        .cfi_restore x20
        ldp     x21, x22, [sp, #80]
        .cfi_restore x21
        .cfi_restore x22
        ldp     x23, x24, [sp, #96]
        .cfi_restore x23
        .cfi_restore x24
        ldp     x25, x26, [sp, #112]
        .cfi_restore x25
        .cfi_restore x26
        ldp     x27, x28, [sp, #128]
        .cfi_restore x27
        .cfi_restore x28
        ldp     x29, x30, [sp, #144]
        .cfi_restore x29
        .cfi_restore x30
        add     sp, sp, #image_bytes
        .cfi_adjust_cfa_offset -image_bytes
        mov     x0, x2
        ret
        .cfi_endproc
        SIZE(heist_v0_context_switch)

// void* heist_v0_context_make(void* stack_top [x0], void (*entry)(void*) [x1])
//
// x19 carries the entry to the first switch. x29 is zero, so walkers of frame pointers stop; the 16
// bytes of zeros above the image are what such a walker would read as the next frame.
        .globl  NAME(heist_v0_context_make)
        HIDDEN(heist_v0_context_make)
        TYPE(heist_v0_context_make)
        .p2align 4
NAME(heist_v0_context_make):
        .cfi_startproc
        hint    34
        and     x0, x0, #-16
        sub     x0, x0, #(image_bytes + 16)
        stp     xzr, xzr, [x0, #0]
        stp     xzr, xzr, [x0, #16]
        stp     xzr, xzr, [x0, #32]
        stp     xzr, xzr, [x0, #48]
        stp     x1, xzr, [x0, #64]
        stp     xzr, xzr, [x0, #80]
        stp     xzr, xzr, [x0, #96]
        stp     xzr, xzr, [x0, #112]
        stp     xzr, xzr, [x0, #128]
        adr     x2, LOCAL(context_start)
        stp     xzr, x2, [x0, #144]
        mrs     x3, fpcr
        stp     x3, xzr, [x0, #160]
        stp     xzr, xzr, [x0, #176]
        ret
        .cfi_endproc
        SIZE(heist_v0_context_make)

// void* heist_v0_context_call(void* argument [x0], void* stack_top [x1], uint64_t number [x2],
//                             void (*function)(void*, void*, uint64_t) [x3], void** from_sp [x4],
//                             uint64_t float_modes [x5])
//
// Leaves the image of a suspended context, then calls, with the arguments as they are. The function
// keeps x19 for us, and fpcr. float_modes is not needed: fpcr is quickly read.
        .globl  NAME(heist_v0_context_call)
        TYPE(heist_v0_context_call)
        .p2align 4
NAME(heist_v0_context_call):
        .cfi_startproc
        hint    34                      // bti c, under the name that every assembler knows
        sub     sp, sp, #image_bytes
        .cfi_adjust_cfa_offset image_bytes
        stp     d8, d9, [sp, #0]
        .cfi_rel_offset d8, 0
        .cfi_rel_offset d9, 8
        stp     d10, d11, [sp, #16]
        .cfi_rel_offset d10, 16
        .cfi_rel_offset d11, 24
        stp     d12, d13, [sp, #32]
        .cfi_rel_offset d12, 32
        .cfi_rel_offset d13, 40
        stp     d14, d15, [sp, #48]
        .cfi_rel_offset d14, 48
        .cfi_rel_offset d15, 56
        stp     x19, x20, [sp, #64]
        .cfi_rel_offset x19, 64
        .cfi_rel_offset x20, 72
        stp     x21, x22, [sp, #80]
        .cfi_rel_offset x21, 80
        .cfi_rel_offset x22, 88
        stp     x23, x24, [sp, #96]
        .cfi_rel_offset x23, 96
        .cfi_rel_offset x24, 104
        stp     x25, x26, [sp, #112]
        .cfi_rel_offset x25, 112
        .cfi_rel_offset x26, 120
        stp     x27, x28, [sp, #128]
        .cfi_rel_offset x27, 128
        .cfi_rel_offset x28, 136
        stp     x29, x30, [sp, #144]
        .cfi_rel_offset x29, 144
        .cfi_rel_offset x30, 152
        mrs     x5, fpcr
        str     x5, [sp, #160]
        mov     x19, sp
        str     x19, [x4]
        // The spawner's frames may be running elsewhere by the time of an unwinding: it ends here.
        .cfi_remember_state
        .cfi_undefined x30
        mov     x29, xzr
        mov     sp, x1
        blr     x3
        mov     sp, x19
        .cfi_restore_state
        ldr     x19, [sp, #64]          // the others are as the function left them: as they were
        .cfi_restore x19
        ldp     x29, x30, [sp, #144]
        .cfi_restore x29
        .cfi_restore x30
        add     sp, sp, #image_bytes
        .cfi_adjust_cfa_offset -image_bytes
        mov     x0, xzr
        ret
        .cfi_endproc
        SIZE(heist_v0_context_call)

// The first instructions of a fresh context; a switch "returns" here with the payload in x0 and sp
// 16 below the top. Nothing called it: x30 is undefined, which is how DWARF says that the unwinding
// ends here. It doesn't call the entry but jumps, which leaves the processor's stack of return
// addresses as the switch found it.
        TYPE(LOCAL(context_start))
        .p2align 4
LOCAL(context_start):
        .cfi_startproc
        .cfi_def_cfa sp, 16
        .cfi_undefined x30
        adr     x30, LOCAL(entry_returned)
        mov     x16, x19                // BTI lets a br through x16 enter a function, as a call
        br      x16
LOCAL(entry_returned):
        brk     #1
        .cfi_endproc
        SIZE(LOCAL(context_start))

#if !defined(__APPLE__)
        .section .note.GNU-stack, "", %progbits

// BTI yes; pointer authentication is not claimed (the switch signs nothing), GCS neither.
        .section .note.gnu.property, "a", %note
        .p2align 3
        .long   4                       // name size
        .long   16                      // descriptor size
        .long   5                       // NT_GNU_PROPERTY_TYPE_0
        .asciz  "GNU"
        .long   0xc0000000              // GNU_PROPERTY_AARCH64_FEATURE_1_AND
        .long   4
        .long   1                       // BTI
        .long   0
#endif
