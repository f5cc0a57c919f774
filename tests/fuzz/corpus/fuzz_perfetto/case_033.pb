
P@ZH
P@Z