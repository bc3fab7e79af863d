package io.fibry.measure;

/**
 * Receives the measures of scopes. A listener is given to a scope by {@link io.fibry.ScopeBuilder#measures}. Then it gets the
 * measures of this scope and of the scopes inside it that have no listener of their own. If the root scope is not given one, it
 * takes the first listener that {@link java.util.ServiceLoader} finds.
 *
 * <p>Times are sampled: one of {@link MeasureOptions#oneOf} is measured and given to the listener. A listener makes its own
 * histograms of them. Everything else is counted whether a listener asks for it or not, and a listener reads it when it wants,
 * from {@link MeasuredGroup} and {@link MeasuredScope}.
 *
 * <p>Actors are measured in groups. Each method is called by the thread that measures, often the thread of an actor: it
 * must be thread-safe, return soon, and send no messages to the actors that it measures. If it throws, nothing else is
 * harmed; the first failure of the listener of a scope is logged.
 */
public interface MeasureListener {
    /**
     * Returns what to measure for this listener, if the scope is not given other options.
     *
     * @return the options
     */
    default MeasureOptions options() {
        return MeasureOptions.defaults();
    }

    /**
     * A scope begins to be measured. It has no actors yet.
     *
     * @param scope the scope to which the listener was given
     */
    default void onOpen(MeasuredScope scope) {
    }

    /**
     * The first actor of a group is being made. Each group of a scope is announced once. At that moment another thread
     * may already make, and measure, the next actor of the group.
     *
     * @param group the group
     */
    default void onGroup(MeasuredGroup group) {
    }

    /**
     * A message of the sample was taken by an actor, which is about to handle it.
     *
     * @param group the group of the actor
     * @param nanos how long ago the message was sent, in nanoseconds of the clock of the measured scope
     */
    void onWait(MeasuredGroup group, long nanos);

    /**
     * A handler of the sample has ended.
     *
     * @param group the group of its actor
     * @param nanos how long it ran, in nanoseconds of the clock of the measured scope; what it waited for is included
     */
    void onRun(MeasuredGroup group, long nanos);

    /**
     * A scope is closed and its actors have stopped, as far as they could be stopped. Messages that are sent to them later are
     * still counted.
     *
     * @param scope the scope to which the listener was given
     */
    default void onClose(MeasuredScope scope) {
    }
}
