
P@ZH
P