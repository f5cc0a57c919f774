
›/device:GPU:0”Stream #14(Compute)ä€¨±ãŸçË"Q€€€€€€@À·û²"
‚€€€€€@"ƒ€€€€€@8„€€€€€@"…€€€€€@*regs:106 grid:256,1,1"€€€€€€@€¶Ü€›î"
‚€€€€€@sStream #15(MemcpyH2D)ä€¨±ãŸçË"N€€€€€@€‰z"
‚€€€€€@
"4†€€€€€@**kind_src:pageable size:4096 dest:0 async:1)XLA Opsä€¨±ãŸçË"€€€€€€@À·€ÈĞ"%€€€€€€@€€€€€€@gemm_fusion_dot_6"€€€€€@€€€€€@	MemcpyH2D*#€€€€€€@€€€€€€@gpu_device_name*€€€€€@€€€€€@
clock_rate*"‚€€€€€@‚€€€€€@correlation_id*ƒ€€€€€@ƒ€€€€€@hlo_op*„€€€€€@„€€€€€@dot.6*"…€€€€€@…€€€€€@kernel_details*"†€€€€€@†€€€€€@memcpy_details2€€€€€€@*NVIDIA H2002€€€€€@àìx
	/host:CPUA	python3/5(" Â"
"ÀÏ$€µ""à‘C€µ""cuLaunchKernel"cuMemcpyHtoDAsync_v2*correlation_id
>Task Environment*profile_start_time2€€¨±ãŸçË"host-1dropped 3 events