/* SPDX-License-Identifier: Apache-2.0 */
/* later */
int main(void);
int main(void)
{
    return 0;
}
