/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transcendental functions that give the same bits on every computer: made of additions,
 * multiplications, divisions and square roots alone, which are rounded alike everywhere; the C
 * library's differ by version and processor. Good to some 1e-15 of the value, so f32, f16 and bf16
 * results are as good as correctly rounded. Arguments of sin, cos and tan beyond 2^20 are reduced
 * by a rounded 2*pi, which is as far from the true value as the argument is long.
 */
#ifndef TACHO_KERNELS_FUNCTIONS_H
#define TACHO_KERNELS_FUNCTIONS_H

double tacho_exp(double x);
double tacho_expm1(double x);
double tacho_log(double x);
double tacho_log1p(double x);
double tacho_pow(double x, double y);
double tacho_sin(double x);
double tacho_cos(double x);
double tacho_tan(double x);
double tacho_asin(double x);
double tacho_acos(double x);
double tacho_atan(double x);
double tacho_sinh(double x);
double tacho_cosh(double x);
double tacho_tanh(double x);
double tacho_asinh(double x);
double tacho_acosh(double x);
double tacho_atanh(double x);
double tacho_erf(double x);
double tacho_sigmoid(double x);

#endif
