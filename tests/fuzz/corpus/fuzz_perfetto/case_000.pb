
â
engine
P@
ZHXºouter
P@ZHXºinner
P@Z
HXºnow

P@ZHX
P@ZHXºempty

P@ZHX

P@(ZHX