
P@ZH
P@ZH
