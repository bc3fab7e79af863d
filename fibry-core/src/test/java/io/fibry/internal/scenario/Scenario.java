package io.fibry.internal.scenario;

import java.util.List;

/** Things that happen at the same time. One object is played with many seeds. */
interface Scenario {
    String name();

    /** Starts the threads. They run when this has returned. */
    void play(Play play);

    /** What must have been seen at least once in a thousand seeds, else the scenario proves nothing. */
    List<String> sometimes();
}
