package io.fibry.work;

/**
 * Hears what retries, breakers, hedges, rate limiters and receipts do. It is called on the thread on which something
 * happens, so it should be quick; events of different threads have no order. What it throws is reported to the listeners of
 * the scope, and changes nothing.
 */
@FunctionalInterface
public interface WorkListener {
    /**
     * Hears of something.
     *
     * @param event what has happened
     */
    void on(WorkEvent event);
}
