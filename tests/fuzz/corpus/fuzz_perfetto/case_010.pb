
"PÚ/bin/app-xâ
*main
P@ZHºe