package io.fibry.spring;

import io.fibry.ActorSystem;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** A dump of all actors of the JVM, as JSON or as text, as the client asks for. */
@Endpoint(id = "fibry")
final class FibryEndpoint {
    @ReadOperation(produces = {"application/json", "application/vnd.spring-boot.actuator.v3+json"})
    String json() {
        return ActorSystem.root().dump().json();
    }

    @ReadOperation(produces = "text/plain;charset=UTF-8")
    String text() {
        return ActorSystem.root().dump().text();
    }
}
