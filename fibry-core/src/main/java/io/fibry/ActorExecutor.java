package io.fibry;

import java.util.concurrent.Executor;

/** An executor that a strategy has made for one actor alone. It is told when it is no longer needed. */
public interface ActorExecutor extends Executor {
    /**
     * Tells the executor that the actor has stopped and will run nothing more. This method is called once, often on the
     * executor's own thread, so it must not wait for that thread.
     */
    void actorStopped();
}
