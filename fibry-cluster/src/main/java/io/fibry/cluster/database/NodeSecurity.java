package io.fibry.cluster.database;

import java.nio.file.Path;
import java.util.Objects;

/** Which processes may be nodes. */
sealed interface NodeSecurity {
    /** All processes of this machine: a node listens on a loopback address, and on no other one. */
    record LoopbackOnly() implements NodeSecurity {
    }

    /**
     * The processes that can write to the database of the cluster. Nodes talk by TLS 1.3; each makes a certificate for itself when it
     * starts, whose digest is in the database.
     */
    record PinnedCertificates() implements NodeSecurity {
    }

    /** All processes that can reach the port. The network must keep all others out. */
    record TrustedNetwork() implements NodeSecurity {
    }

    /**
     * The processes that have the right certificate. Nodes talk by TLS 1.3, and each asks the other one for its certificate.
     *
     * @param keys file of type PKCS12 with the key of this node and its certificate
     * @param trusted file of type PKCS12 with the certificates of the nodes, or of an authority that signs no other ones
     * @param password password of both
     */
    record MutualTls(Path keys, Path trusted, String password) implements NodeSecurity {
        /** Checks that nothing is null. */
        public MutualTls {
            Objects.requireNonNull(keys, "keys");
            Objects.requireNonNull(trusted, "trusted");
            Objects.requireNonNull(password, "password");
        }

        @Override
        public String toString() {
            return "MutualTls[keys=" + keys + ", trusted=" + trusted + "]";
        }
    }
}
