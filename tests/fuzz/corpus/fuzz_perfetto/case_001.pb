
ât

P@ZHX
P@
ZHXºa
P@ZHXºb
P@ZHXºc
âu
P@cZHXºlast