package io.fibry.dump;

/**
 * Dumps for management tools such as JConsole and VisualVM, and for all that speaks JMX. {@link DumpBean} registers it. The
 * methods can be called by any thread.
 */
public interface DumpMXBean {
    /**
     * Returns a line that sums up the actors.
     *
     * @return the line
     */
    String summary();

    /**
     * Returns a dump as text for people.
     *
     * @return the text
     */
    String text();

    /**
     * Returns a dump as text for people.
     *
     * @param actors how many actors of each scope are shown one by one
     * @param frames how many frames of a stack are shown
     * @param overMillis the time between two looks, in milliseconds; zero for one look
     * @return the text
     */
    String text(int actors, int frames, long overMillis);

    /**
     * Returns a dump as JSON for programs.
     *
     * @return the JSON text
     */
    String json();
}
