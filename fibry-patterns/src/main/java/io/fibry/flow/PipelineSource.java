package io.fibry.flow;

import io.fibry.ActorScope;

/** Where the values of a pipeline come from. */
interface PipelineSource {
    /** Starts, in the scope of the pipeline. Its actor has the given name. */
    void start(PipelineCore<?> pipeline, ActorScope scope, String actor);

    /** Asks for more values, for which the pipeline has reserved places. Does not wait. Returns false if it cannot ask. */
    boolean ask(int values);

    /** Ends, since no more values are wanted. Called once. */
    void close() throws Exception;
}
