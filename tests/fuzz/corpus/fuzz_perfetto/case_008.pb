
P@ZHXºa

P@ZHX
P@ZHXºb
P@ZHX	ºc
â
late(
âtoo late
â	above
âorphan(M