package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.EngineProvider;
import io.fibry.cluster.engine.NodeSettings;

/** Makes the engine of a node whose settings come from its environment. Thread-safe. */
public final class InfinispanProvider implements EngineProvider {
    /** Makes a provider. */
    public InfinispanProvider() {
    }

    @Override
    public ClusterEngine engine(NodeSettings settings) {
        return new InfinispanEngine(InfinispanSettings.of(settings));
    }
}
