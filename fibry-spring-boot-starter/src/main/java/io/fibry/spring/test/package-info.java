/** Tests of programs with the starter: {@link io.fibry.spring.test.FibryTest}. It needs {@code fibry-test} and Spring Boot's test module. */
@NullMarked
package io.fibry.spring.test;

import org.jspecify.annotations.NullMarked;
