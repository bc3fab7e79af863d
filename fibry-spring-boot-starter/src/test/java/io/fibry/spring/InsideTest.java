package io.fibry.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.inside.Inside;
import io.fibry.testing.Promise;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class InsideTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
            AutoConfigurations.of(FibryAutoConfiguration.class, FibryInsideAutoConfiguration.class));

    @Test
    @Promise("59.8")
    void onePropertyServesTheLivePage() {
        runner.withPropertyValues("fibry.inside.port=0").run(context -> {
            var inside = context.getBean(Inside.class);
            try (var client = HttpClient.newHttpClient()) {
                assertThat(
                        client.send(HttpRequest.newBuilder(inside.address()).build(), BodyHandlers.ofString())
                                .statusCode())
                        .isEqualTo(200);
            }
        });
        runner.run(context -> assertThat(context).doesNotHaveBean(Inside.class));
        runner.withPropertyValues("fibry.inside.port=").run(context -> assertThat(context).getFailure()
                .rootCause().hasMessage("fibry.inside.port has no value"));
    }

    @Test
    @Promise("59.8")
    void thePropertyWithoutTheModuleIsAnError() {
        runner.withPropertyValues("fibry.inside.port=0")
                .withClassLoader(new FilteredClassLoader("io.fibry.inside"))
                .run(context -> assertThat(context).getFailure().rootCause()
                        .hasMessageContaining("add the dependency io.fibry:fibry-inside"));
    }
}
