package io.fibry.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpRoutes;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.w3c.dom.Element;

/**
 * h2spec, the conformance suite of HTTP/2. It comes from the Go module proxy, so this needs {@code go}. Part of the thorough
 * build: {@code mvn -B verify -Pthorough}.
 */
@Tag("thorough")
class H2SpecTest {
    private static final String MODULE = "github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible";
    private static final int CASES = 145;

    @Timeout(600)
    @Test
    void allCasesPass() throws Exception {
        var folder = Suite.folder("h2spec");
        Suite.fetch(List.of("go", "install", MODULE),
                Map.of("GOBIN", folder.toString(), "GO111MODULE", "on", "GOFLAGS", ""),
                folder.resolve("fetch.log"));
        var report = folder.resolve("report.xml");
        try (var scope = ActorSystem.open("h2spec")) {
            var server = WebServer.start(scope.anonymous(), WebOptions.localPort(0), HttpRoutes.none()
                    .get("/", call -> HttpAnswer.text("hello"))
                    .post("/", call -> HttpAnswer.text(Integer.toString(call.bytes().length))));
            var command = List.of(folder.resolve("h2spec").toString(), "--host", "127.0.0.1", "--port",
                    Integer.toString(server.port()), "--timeout", "5", "--junit-report", report.toString());
            Suite.run(command, Map.of(), folder.resolve("h2spec.log"), 8);
        }
        var factory = DocumentBuilderFactory.newInstance();
        var cases = factory.newDocumentBuilder().parse(report.toFile()).getElementsByTagName("testcase");
        var passed = 0;
        for (var i = 0; i < cases.getLength(); i++) {
            var one = (Element) cases.item(i);
            assertThat(one.getElementsByTagName("failure").getLength()
                    + one.getElementsByTagName("error").getLength())
                    .as(one.getAttribute("package") + " " + one.getAttribute("classname")).isZero();
            passed += one.getElementsByTagName("skipped").getLength() == 0 ? 1 : 0;
        }
        assertThat(passed).isGreaterThanOrEqualTo(CASES);
    }
}
