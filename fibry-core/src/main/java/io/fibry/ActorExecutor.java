package io.fibry;

import java.util.concurrent.Executor;

/**
 * An executor that a strategy has made for one actor alone, and that wants to know when it is not needed any
 * more.
 */
public interface ActorExecutor extends Executor {
    /**
     * The actor has stopped, and there will be no more turns. Called once, often on the executor's own
     * thread: it must not wait for that.
     */
    void actorStopped();
}
