package io.fibry.test;

import io.fibry.function.Body;

/** What runs a program under a schedule. */
sealed interface PlayedSchedule extends TestSchedule permits SeededSchedule, PerturbedSchedule {
    /** Runs the program to its end, and fails if it does; {@code replay} says how to run the schedule again. */
    void play(Body program, String replay);
}
