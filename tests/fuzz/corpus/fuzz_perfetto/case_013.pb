
âdefault
PhÚZX
P@ZHºa