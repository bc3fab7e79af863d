/** Threads that a seed carries: for the schedules of the kit, and for the scenarios of the library's own tests. */
@NullMarked
package io.fibry.test.threads;

import org.jspecify.annotations.NullMarked;
