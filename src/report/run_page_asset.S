// The built page as bytes of the program. RUN_PAGE is its path, which is not part of the object.

    .section .rodata, "a", %progbits
    .globl heist_report_run_page_begin
    .globl heist_report_run_page_end
    .hidden heist_report_run_page_begin
    .hidden heist_report_run_page_end
heist_report_run_page_begin:
    .incbin RUN_PAGE
heist_report_run_page_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits
