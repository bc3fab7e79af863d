package io.fibry.topic;

import java.util.Objects;

/**
 * The options of one observer.
 *
 * @param name names the observer in reports; need not be unique
 * @param current whether the observer gets the present state first
 * @param coalesced whether an observer that is slower than the changes gets only the latest one
 * @param most how many changes, with the present state, may wait for the observer if they are not coalesced; of more the oldest
 *     ones are dropped
 */
public record ObserverOptions(String name, boolean current, boolean coalesced, int most) {
    private static final int WAITING = 1024;
    private static final ObserverOptions DEFAULTS = new ObserverOptions("observer", false, false, WAITING);

    /**
     * Checks the name and the number.
     *
     * @param name not blank
     * @param most at least one
     */
    public ObserverOptions {
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("the name of an observer must not be blank: '" + name + "'");
        }
        if (most < 1) {
            throw new IllegalArgumentException("most must be at least 1: " + most);
        }
    }

    /**
     * Returns the options of an observer without a name, which gets each change from now on; 1,024 changes may wait.
     *
     * @return the options
     */
    public static ObserverOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns the options of an observer with a name.
     *
     * @param name the name
     * @return the options
     */
    public static ObserverOptions named(String name) {
        return DEFAULTS.withName(name);
    }

    /**
     * Returns the same options with another name.
     *
     * @param text the name, not blank
     * @return the new options
     */
    public ObserverOptions withName(String text) {
        return new ObserverOptions(text, current, coalesced, most);
    }

    /**
     * Returns the same options for an observer that gets the present state first, and then each change of it.
     *
     * @return the new options
     */
    public ObserverOptions withCurrent() {
        return new ObserverOptions(name, true, coalesced, most);
    }

    /**
     * Returns the same options for an observer that gets only the latest of the changes that wait.
     *
     * @return the new options
     */
    public ObserverOptions coalescing() {
        return new ObserverOptions(name, current, true, most);
    }

    /**
     * Returns the same options with another number of changes that may wait.
     *
     * @param changes how many
     * @return the new options
     */
    public ObserverOptions withMost(int changes) {
        return new ObserverOptions(name, current, coalesced, changes);
    }
}
