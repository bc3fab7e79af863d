package io.fibry.cluster.engine;

/**
 * Makes the engine of a node whose settings ask for one. It is found by {@link java.util.ServiceLoader}, so that a program has no word
 * about the engine. Implementations have a public constructor without parameters. Thread-safe.
 */
public interface EngineProvider {
    /**
     * Makes an engine.
     *
     * @param settings how the node listens, and how it finds the others
     * @return an engine that has not started yet
     */
    ClusterEngine engine(NodeSettings settings);
}
