
ât
âu
P@dZHXºa
P@ÈZHX
P@
ZHXºb

P@ZHX