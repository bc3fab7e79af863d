package io.fibry.inside;

import io.fibry.function.ReplyHandler;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Rows that somebody looks at on the page and decides about, such as what fibry-durable has parked. Immutable: {@link #action}
 * returns another list.
 *
 * <pre>{@code
 * var keys = orders.keys();
 * var parked = Worklist.of("Parked orders", keys::parked)
 *         .action("Send again", keys::sendAgain)
 *         .action("Drop", keys::drop);
 * }</pre>
 *
 * <p>The page shows a column for each component of a row. The first two components name the row, also in the log.
 *
 * @param <T> the class of the rows. If it is not public, its module opens its package to {@code io.fibry.inside}
 * @see InsideOptions#worklist
 */
public final class Worklist<T extends Record> {
    private final String title;
    private final Pages<T> pages;
    private final Map<String, ReplyHandler<? super T, Boolean>> actions;

    private Worklist(String title, Pages<T> pages, Map<String, ReplyHandler<? super T, Boolean>> actions) {
        this.title = title;
        this.pages = pages;
        this.actions = actions;
    }

    /**
     * Makes a list whose rows can only be looked at.
     *
     * @param <T> the class of the rows
     * @param title what the rows are
     * @param pages reads them
     * @return the list
     */
    public static <T extends Record> Worklist<T> of(String title, Pages<T> pages) {
        return new Worklist<>(Objects.requireNonNull(title, "title"), Objects.requireNonNull(pages, "pages"),
                Map.of());
    }

    /**
     * Returns the same list with one more thing that can be done with each row. It is done by one actor for each
     * list, one after another.
     *
     * @param name the text of the button
     * @param action does it with a row that was shown; returns false if the row has gone; its exception is shown
     * @return the new list
     * @throws IllegalArgumentException if the list has an action of this name
     */
    public Worklist<T> action(String name, ReplyHandler<? super T, Boolean> action) {
        var more = new LinkedHashMap<>(actions);
        if (more.put(Objects.requireNonNull(name, "name"),
                Objects.requireNonNull(action, "action")) != null) {
            throw new IllegalArgumentException("the list '" + title + "' has two actions '" + name + "'");
        }
        return new Worklist<>(title, pages, Collections.unmodifiableMap(more));
    }

    String title() {
        return title;
    }

    Pages<T> pages() {
        return pages;
    }

    /** By their names, in the order of the buttons. */
    Map<String, ReplyHandler<? super T, Boolean>> actions() {
        return actions;
    }

    /** Returns the title. */
    @Override
    public String toString() {
        return title;
    }

    /**
     * Reads rows, a page at a time.
     *
     * @param <T> the class of the rows
     */
    @FunctionalInterface
    public interface Pages<T> {
        /**
         * Reads rows, in an order that stays the same. While a browser looks, the actor of the list calls this each few seconds.
         *
         * @param after only rows behind this one are wanted; empty for the first ones. It may have gone
         * @param most how many rows are wanted at most
         * @return the rows
         * @throws Exception any exception; the page shows it
         */
        List<T> read(Optional<T> after, int most) throws Exception;
    }
}
