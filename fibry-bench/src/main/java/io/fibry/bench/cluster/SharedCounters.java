package io.fibry.bench.cluster;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A node's part in a cluster with counters, each of which is on one of the nodes. */
interface SharedCounters {
    /**
     * What a counter answers.
     *
     * @param node the node that it is on
     * @param value its value
     */
    record Count(String node, long value) {
    }

    /** Adds to a counter, and returns its new value. */
    CompletionStage<Count> add(int key, int number, Duration limit);

    /** Adds one to a counter without an answer; returns false if it was not sent. */
    boolean addOne(int key);

    /** Returns what this node's counters have been given in all, those included that are on another node now, where they begin anew. */
    long handled();

    /** Says goodbye, and returns when the others have taken over. */
    void leave() throws Exception;
}
