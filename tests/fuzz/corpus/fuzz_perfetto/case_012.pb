
Phb	
gpu
Pb"
a.cc ¢	hello
P@ZH∫x≤ioê™
P@ZHäb.cc