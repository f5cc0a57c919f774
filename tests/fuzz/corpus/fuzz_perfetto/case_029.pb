
P@ZH
P