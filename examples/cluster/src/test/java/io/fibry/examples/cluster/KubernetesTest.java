package io.fibry.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The parts of {@code kubernetes.yaml} fit Kubernetes and each other. {@link PodsTest} runs what it describes. */
class KubernetesTest {
    static final Path FILE = Path.of("kubernetes.yaml");

    /** The types of Kubernetes, as far as the file uses them. An exclamation mark stands for a field that must be there. */
    private static final Map<String, Map<String, String>> TYPES =
            """
                    Deployment: apiVersion!=text kind!=text metadata!=Meta spec!=DeploymentSpec
                    Meta: name=text labels=Labels
                    DeploymentSpec: replicas=number selector!=Selector strategy=Strategy template!=PodTemplate
                    Selector: matchLabels=Labels
                    Strategy: type=text rollingUpdate=RollingUpdate
                    RollingUpdate: maxSurge=number maxUnavailable=number
                    PodTemplate: metadata=Meta spec=Pod
                    Pod: automountServiceAccountToken=flag enableServiceLinks=flag terminationGracePeriodSeconds=number \
                    securityContext=PodSecurity topologySpreadConstraints=[Spread containers!=[Container volumes=[Volume
                    PodSecurity: runAsNonRoot=flag runAsUser=number runAsGroup=number seccompProfile=Profile
                    Profile: type!=text
                    Spread: maxSkew!=number topologyKey!=text whenUnsatisfiable!=text labelSelector=Selector
                    Container: name!=text image=text ports=[ContainerPort env=[Variable startupProbe=Probe \
                    readinessProbe=Probe livenessProbe=Probe lifecycle=Lifecycle resources=Resources \
                    securityContext=Security volumeMounts=[Mount
                    ContainerPort: name=text containerPort!=number
                    Variable: name!=text value=text valueFrom=Source
                    Source: secretKeyRef=SecretKey fieldRef=FieldPath
                    SecretKey: name=text key!=text
                    FieldPath: fieldPath!=text
                    Probe: httpGet=HttpGet periodSeconds=number timeoutSeconds=number failureThreshold=number \
                    terminationGracePeriodSeconds=number
                    HttpGet: path=text port!=text
                    Lifecycle: preStop=Handler
                    Handler: sleep=Sleep
                    Sleep: seconds!=number
                    Resources: requests=Quantities limits=Quantities
                    Quantities: cpu=text memory=text
                    Security: allowPrivilegeEscalation=flag readOnlyRootFilesystem=flag capabilities=Capabilities
                    Capabilities: drop=[text
                    Mount: name!=text mountPath!=text
                    Volume: name!=text emptyDir=EmptyDir
                    EmptyDir: sizeLimit=text
                    Service: apiVersion!=text kind!=text metadata!=Meta spec!=ServiceSpec
                    ServiceSpec: selector=Labels ports=[ServicePort
                    ServicePort: name=text port!=number targetPort=text
                    PodDisruptionBudget: apiVersion!=text kind!=text metadata!=Meta spec!=Budget
                    Budget: maxUnavailable=number selector=Selector
                    NetworkPolicy: apiVersion!=text kind!=text metadata!=Meta spec!=Policy
                    Policy: podSelector!=Selector policyTypes=[text ingress=[Ingress
                    Ingress: from=[Peer ports=[PolicyPort
                    Peer: podSelector=Selector
                    PolicyPort: port=text
                    Labels: app=text
                    """
                    .lines().map(line -> line.split(": ")).collect(Collectors.toMap(line -> line[0],
                            line -> List.of(line[1].split(" ")).stream().map(field -> field.split("="))
                                    .collect(Collectors.toMap(field -> field[0], field -> field[1]))));

    private final List<Fields> objects;
    private final Fields pod;
    private final Fields container;

    KubernetesTest() throws IOException {
        objects = Fields.read(FILE);
        pod = Fields.object(objects, "Deployment").at("spec", "template");
        container = pod.at("spec", "containers").list().getFirst();
    }

    private static void check(Fields fields, String type) {
        switch (type) {
            case "text" -> assertThat(fields.value()).as(fields.path()).isInstanceOf(String.class);
            case "number" -> assertThat(fields.number()).as(fields.path()).isNotNegative();
            case "flag" -> assertThat(fields.value()).as(fields.path()).isInstanceOf(Boolean.class);
            default -> {
                if (type.startsWith("[")) {
                    fields.list().forEach(each -> check(each, type.substring(1)));
                    return;
                }
                var known = TYPES.get(type);
                for (var each : fields.map().keySet()) {
                    var name = each.toString();
                    assertThat(known.keySet()).as(fields.path()).containsAnyOf(name, name + "!");
                    check(fields.at(name), known.getOrDefault(name, known.getOrDefault(name + "!", "")));
                }
                known.keySet().stream().filter(each -> each.endsWith("!"))
                        .forEach(each -> fields.at(each.replace("!", "")));
            }
        }
    }

    @Test
    void allFieldsAreWhereKubernetesExpectsThem() {
        var versions = Map.of("Deployment", "apps/v1", "Service", "v1", "PodDisruptionBudget", "policy/v1",
                "NetworkPolicy", "networking.k8s.io/v1");
        assertThat(objects).extracting(Fields::path).containsExactlyInAnyOrderElementsOf(versions.keySet());
        for (var each : objects) {
            check(each, each.path());
            assertThat(each.at("apiVersion").text()).isEqualTo(versions.get(each.path()));
        }
    }

    @Test
    void allSelectorsFindThePods() {
        var labels = pod.at("metadata", "labels").value();
        var deployment = Fields.object(objects, "Deployment").at("spec");
        var policy = Fields.object(objects, "NetworkPolicy").at("spec");
        assertThat(List.of(deployment.at("selector", "matchLabels"),
                pod.at("spec", "topologySpreadConstraints").list().getFirst().at("labelSelector",
                        "matchLabels"),
                Fields.object(objects, "Service").at("spec", "selector"),
                Fields.object(objects, "PodDisruptionBudget").at("spec", "selector", "matchLabels"),
                policy.at("podSelector", "matchLabels"),
                policy.at("ingress").list().getLast().at("from").list().getFirst().at("podSelector",
                        "matchLabels")))
                .extracting(Fields::value).containsOnly(labels);
    }

    @Test
    void allPortsAreThoseOfTheContainer() {
        var ports = container.at("ports");
        var policy = Fields.object(objects, "NetworkPolicy").at("spec", "ingress").list();
        assertThat(container.at("env").named("FIBRY_PORT").at("value").text())
                .isEqualTo(ports.named("nodes").at("containerPort").text());
        assertThat(policy.getFirst().at("ports").list().getFirst().at("port").text()).isEqualTo("http");
        assertThat(policy.getLast().at("ports").list().getFirst().at("port").text()).isEqualTo("nodes");
        assertThat(Fields.object(objects, "Service").at("spec", "ports").list().getFirst().at("targetPort")
                .text()).isEqualTo("http");
        for (var each : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
            assertThat(container.at(each, "httpGet", "port").text()).isEqualTo("http");
        }
    }

    /** The pause, the end of the requests, the leave of the node and the end of its scope. */
    @Test
    void theGracePeriodIsLongerThanTheCloseOfTheService() {
        assertThat(pod.at("spec", "terminationGracePeriodSeconds").number()).isGreaterThan(
                container.at("lifecycle", "preStop", "sleep", "seconds").number()
                        + Math.toIntExact(BankService.LONGEST_CLOSE.toSeconds()));
    }

    @Test
    void volumesAreThere() {
        for (var each : container.at("volumeMounts").list()) {
            pod.at("spec", "volumes").named(each.at("name").text()).at("emptyDir");
        }
    }

    /** {@link PodProcess} gives a process no more than this. */
    @Test
    void theContainerHasNoRights() throws IOException {
        assertThat(Files.readAllLines(BankImage.FILE))
                .contains("USER " + pod.at("spec", "securityContext", "runAsUser").number());
        var rights = container.at("securityContext");
        assertThat(rights.at("readOnlyRootFilesystem").value()).isEqualTo(true);
        assertThat(rights.at("allowPrivilegeEscalation").value()).isEqualTo(false);
        assertThat(rights.at("capabilities", "drop").value()).isEqualTo(List.of("ALL"));
    }
}
