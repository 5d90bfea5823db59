"""The acts that authority boundaries reserve to one agent, and the commands that perform them.

Sources: the documentation of the programs named. What a program does through a script or a setting
(``npm run release``, ``make deploy``) cannot be seen from its command line.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Final

PUSH, PULL_REQUEST, MERGE, TAG, RELEASE, PUBLISH, DEPLOY = (
    *("push", "pull request", "merge", "tag", "release", "publish", "deploy"),
)  # fmt: skip
_VERSION_PARTS: Final = (
    *("major", "minor", "patch", "premajor", "preminor", "prepatch", "prerelease"),
    *("from-git", "*.*.*"),
)  # fmt: skip
_VERSION_COMMANDS: Final = (
    "; ".join(
        f"{command} {part}"
        for command in ("npm version", "pnpm version", "bun pm version", "yarn version")
        for part in _VERSION_PARTS
    )
    + "; yarn version --major; yarn version --minor; yarn version --patch"
)

# Act -> the command that stands for it -> others that have its effect, one a line or after ";".
# Commands that reach another place (another registry) are another command of the same act. A
# request is ``request METHOD PATH``, its path as the interfaces of forges have it.
ACTS: Final[Mapping[str, Mapping[str, str]]] = {
    PUSH: {
        "git push": """
            git send-pack; git http-push; git lfs push; git subtree push; git svn dcommit
            git p4 submit; git cvsexportcommit; git annex sync; git town sync; git town propose
            git annex push; git send-email; git imap-send; git flow * publish; lerna version; bumpp
            cvs commit; cvs ci; darcs send; brz send; bzr send; hg email; hg phabsend; got send
            lab push; cm push; repo upload; repo push; tg push; dulwich push; git flow * finish
            sl cloud sync; svnmucc; moz-phab submit; rbt post; stg email send; b4 send; hub push
            hub sync; jj git push; sl push; sl pr submit; gt submit; gt stack submit; hg push
            svn commit; svn ci; bzr push; brz push; fossil push; fossil sync; darcs push; pijul push
            p4 submit; gh repo create --push; gh repo sync; ghp-import -p; ghp-import --push
            gh-pages; mkdocs gh-deploy; mike * --push; mike * -p; spr diff; hut git push; gt s
            gh pr update-branch; fastlane run push_to*; aws codecommit put-file; git-town sync
            git-town propose; gt ss; arc land; arc diff; gh api --method POST repos/*/git/refs
            gh api --method PUT repos/*/contents/*; gh api --method DELETE repos/*/contents/*
            gh api --method POST repos/*/merge-upstream; request POST projects/*/repository/commits
            request POST projects/*/repository/branches*; request POST projects/*/repository/files/*
            request PUT projects/*/repository/files/*; request POST repositories/*/src*
            request POST *_apis/git/repositories/*/pushes*; jj gerrit upload; fossil commit
            tf checkin; cm checkin; svn import; ghstack land; mvn scm:checkin; glab mr rebase
            ghstack submit; rake release:source*""",
        "git push --force": "gh api --method PATCH repos/*/git/refs/*",
        "git push --delete": """
            gh api --method DELETE repos/*/git/refs/*
            request DELETE projects/*/repository/branches/*""",
    },
    PULL_REQUEST: {
        "gh pr create": """
            gh pr new; hub pull-request; glab mr create; glab mr new; glab mr for; tea pr create
            tea pulls create; tea pulls c; tea pr c; az repos pr create; bb pr create; gt submit
            gt s; fj pr create; berg pulls create; berg pr create; cb pr create; lab mr create
            av pr create; av stack submit; aws codecommit create-pull-request; gt stack submit
            sl pr submit; git town propose; gh api --method POST repos/*/pulls
            request POST projects/*/merge_requests*; request POST repositories/*/pullrequests*
            request POST *_apis/git/repositories/*/pullrequests*; gh pr revert
            release-plz release-pr; release-please release-pr; release-please manifest-pr
            brew bump-*-pr; brew bump --open-pr; komac update --submit"""
    },
    MERGE: {
        "gh pr merge": """
            glab mr merge; glab mr accept; tea pr merge; tea pulls merge; tea pulls m; tea pr m
            gt merge; fj pr merge; berg pulls merge
            aws codecommit merge-pull-request-by-fast-forward
            aws codecommit merge-pull-request-by-squash
            aws codecommit merge-pull-request-by-three-way; az repos pr update --auto-complete
            az repos pr update --status; gh api --method PUT repos/*/pulls/*/merge
            gh api --method POST repos/*/pulls/*/merge; gh api --method POST repos/*/merges
            request PUT projects/*/merge_requests/*/merge*
            request POST repositories/*/pullrequests/*/merge*
            request PATCH *_apis/git/repositories/*/pullrequests/*"""
    },
    TAG: {
        "git tag --create": f"""
            gh release create; glab release create; tea release create; git push --tags
            git push --follow-tags; hg tag; jj tag set; svn copy ** *tags/*; svn cp ** *tags/*
            lerna version; standard-version; commit-and-tag-version; changeset tag; cz bump
            bumpver update; bump2version; bumpversion; bumpp; git update-ref refs/tags/*
            git symbolic-ref refs/tags/* *; git fetch . *:refs/tags/*
            bump-my-version bump; semantic-release; mvn release:prepare
            gh api --method POST repos/*/git/tags; gh api --method POST repos/*/tags
            request POST projects/*/repository/tags*; request POST repositories/*/refs/tags*
            {_VERSION_COMMANDS}"""
    },
    RELEASE: {
        "gh release create": """
            gh release new; glab release create; hub release create; tea release create
            tea releases create; goreleaser release; goreleaser; semantic-release; release-it
            cargo release --execute; nx release; jreleaser release; jreleaser full-release; np
            release-please github-release; mvn release:perform; fastlane release; fastlane deliver
            fastlane supply; fastlane pilot; fj release create; berg release create; ghr; gh-release
            github-release upload; az pipelines release create; shipit; auto shipit; dune-release
            release-plz release; cargo dist host; steamcmd +run_app_build; xcrun altool --upload-app
            xcrun altool --upload-package; gradle release; fastlane run set_github*
            fastlane run pilot; fastlane run deliver; fastlane run supply; gh workflow run release*
            gh api --method POST repos/*/releases; request POST projects/*/releases*
            gh api --method POST repos/*/actions/workflows/release*/dispatches
            gh api --method POST repos/*/actions/workflows/publish*/dispatches
            fastlane run upload_to*; shipjs trigger; shorebird patch; code-push release*
            appcenter codepush release*; gh workflow run publish*; sbt release; lein release
            shorebird release; sbt releaseEarly*""",
        "gh release edit": "gh api --method PATCH repos/*/releases/*; tea release edit",
        "gh release upload": """
            glab release upload; tea release assets create; hub release edit""",
        "gh release delete": """
            gh api --method DELETE repos/*/releases/*; glab release delete; tea release delete""",
    },
    PUBLISH: {
        "npm publish": """
            npm pub; npm pu; pnpm publish; pnpm pub; yarn publish; yarn npm publish; bun publish; np
            lerna publish; changeset publish; nx release publish; nx release; release-it
            bower register; request PUT registry.npmjs.org/*; request PUT registry.npmjs.com/*
            rush publish; beachball publish; clean-publish; pkg-pr-new publish; npm stage publish
            npm dist-tag add; npm dist-tag rm; npm deprecate; pnpm recursive publish; pnpm m publish
            npm unpublish; publish-please""",
        "jsr publish": "deno publish",
        "twine upload": """
            poetry publish; hatch publish; flit publish; uv publish; pdm publish; rye publish
            maturin publish; maturin upload; python setup.py upload; python setup.py * upload
            python setup.py * * upload; pixi upload; pixi publish
            request POST upload.pypi.org/*; request POST test.pypi.org/*""",
        "cargo publish": """
            cross publish; cargo smart-release; cargo release --execute; cargo yank
            cargo workspaces publish; cargo ws publish; cargo mono publish; cargo xtask publish
            cargo make publish; cargo release publish; cargo component publish""",
        "gem push": """
            gem release; rake release*; gem yank; gem bump --push; gem bump --release""",
        "vsce publish": """
            ovsx publish; web-ext sign; tfx extension publish; plasmo publish; vsce unpublish
            ovsx unpublish""",
        "docker push": """
            docker-compose push; docker-compose build --push; docker * build --push
            docker * b --push; docker buildx bake --push; docker buildx bake --set *type=registry*
            docker buildx bake --set *push=true*; docker build --push; nerdctl build --push
            nerdctl * build --push; podman push; podman manifest push; buildah push; nerdctl push
            skopeo copy * docker://*; crane push; crane copy; crane cp; oras push; regctl image copy
            regctl image cp; ko resolve; ko create; ko publish; ko build; ko apply
            pack build --publish; img push; ctr image push; ctr images push; ctr i push
            apptainer push; singularity push; podman image push; crane tag; nerdctl image push
            nerdctl compose push; buildah manifest push; crane append
            docker * build --output type=registry*; docker * build --output *push=true*
            docker build --output type=registry*; docker build --output *push=true*
            docker buildx imagetools create; buildctl build --output *push=true*; skopeo sync
            oras copy; oras cp; oras attach; cosign copy; regctl index create; podman farm build
            kaniko --destination; executor --destination; mvn jib:build; gradle jib; apko publish
            gradle bootBuildImage --publishImage; pack builder create --publish; earthly --push
            depot build --push; devcontainer build --push; devcontainer features publish
            crossplane xpkg push; flux push artifact; kamal build push; cosign sign; cosign attach
            cosign attest; timoni mod push; spin registry push; werf export; aws ecr put-image
            az acr build; az acr import; az bicep publish; oci artifacts container image create
            docker image push; docker compose push; docker manifest push; docker plugin push
            docker model push; docker scout push; docker compose publish; porter publish""",
        "helm push": """
            helm push-artifact; helm cm-push; helm s3 push; helm registry push; cr upload
            cr index --push""",
        "dotnet nuget push": """
            nuget push; dotnet paket push; paket push; choco push; publish-module
            publish-psresource; publish-script; wingetcreate submit""",
        "mvn deploy": """
            mvn release:perform; gradle publish*; sbt ci-release; lein deploy; mvn nexus-staging:*
            mvn central-publishing:*; mvn jreleaser:*; gradle jreleaser*; mvn deploy:*; mvn wagon:*
            gradle *pload*; gradle *Publish; gradle *Push*; gradle *Deploy; gradle closeAnd*
            sbt sonatype*; mill *publish; mill *publishAll; pants publish; sbt publish
            sbt publishSigned; jf rt upload; jf * publish""",
        "dart pub publish": "dart pub lish; flutter pub publish; flutter pub lish",
        "anaconda upload": """
            rattler-build upload; rattler-build publish; quetz-client upload; conan upload
            vcpkg x-publish""",
        "mix hex.publish": "rebar3 publish; gleam publish; gleam docs publish; gleam hex publish",
        "pod trunk push": "pod push; pod repo push; swift package-registry publish",
        "luarocks upload": """
            cabal upload; stack upload; opam publish; opam-publish; nimble publish""",
        "ansible-galaxy collection publish": """
            ansible-galaxy role import; puppet module publish; knife supermarket share; cpan-upload
            elm publish; dub publish; dzil release; fez upload; zef upload; alr publish
            wasmer publish; spago publish; fpm publish; buf push""",
        "snapcraft upload": """
            snapcraft push; snapcraft release; butler push; charmcraft upload; dput; dcut
            debrelease; fedpkg push; fedpkg build; fedpkg update; bodhi updates new; osc commit
            copr-cli build; copr build; flatpak build-export; reprepro include*
            vagrant cloud publish; knife * upload; jf rt u""",
        "hf upload": """
            hf upload-large-folder; kaggle datasets create; kaggle datasets version
            kaggle kernels push; kaggle k push; ollama push; modelscope upload; wandb artifact put
            dvc push; dvc exp push; cachix push; attic push; nix copy --to; spack buildcache push
            chrome-webstore-upload upload; mcp-publisher publish; pio pkg publish
            pio package publish""",
    },
    DEPLOY: {
        "kubectl apply": """
            kubectl create; kubectl replace; kubectl set image; kubectl patch; kubectl delete
            kubectl rollout restart; kubectl rollout undo; kubectl scale; kubectl edit; kubectl run
            kubectl expose; oc apply; oc rollout latest; oc rollout restart; oc rollout undo
            oc new-app; oc start-build; argocd app rollback; argocd app set; argo submit
            argocd app sync; argocd app create; argocd app delete; k apply; docker service update
            docker service create; tilt up; flux reconcile; skaffold run; skaffold deploy; tilt ci
            devspace deploy; werf converge; kapp deploy; garden deploy; okteto deploy; tanka apply
            tk apply; nomad job run; nomad run; docker stack deploy; kubectl drain
            kubectl rollout pause; kubectl argo; oc set; helmwave up; helmsman -apply
            helmsman --apply; flux bootstrap; istioctl install; vela up; kpt live apply
            docker stack up; docker compose up --context; docker compose up --host
            docker-compose up --context; docker-compose up --host""",
        "helm upgrade": """
            helm install; helm rollback; helm uninstall; helm un; helm delete; helm del
            helm secrets upgrade; helmfile apply; helmfile sync; helmfile destroy""",
        "terraform apply": """
            terraform destroy; tofu apply; tofu destroy; terragrunt apply; terragrunt run-all apply
            terragrunt destroy; terragrunt run apply; terragrunt run destroy
            terragrunt stack run apply; terragrunt stack run destroy; terraform import
            pulumi import; cdktf apply; colmena apply; nixos-rebuild switch --target-host
            ansible-pull; pulumi up; pulumi update; pulumi destroy; cdktf deploy; cdk deploy
            cdk destroy; sst deploy; sst remove; ansible-playbook; az deployment * create
            az stack * create; az aks create; az aks update; az aks delete; az aks upgrade
            az vm create; az vm run-command invoke; azd provision; sam sync
            aws cloudformation execute-change-set; aws cloudformation delete-stack
            gcloud container clusters create; gcloud container clusters update
            gcloud container clusters delete; doctl compute droplet create; deploy-rs
            gcloud deployment-manager deployments create; aws cloudformation deploy
            aws cloudformation create-stack; rain deploy; aws cloudformation update-stack
            sam deploy; copilot deploy; copilot svc deploy; ansible * -m; ansible * -a
            ansible-navigator run; salt * state.*; puppet apply; bolt; pyinfra
            new-azresourcegroupdeployment; porter apply""",
        "vercel deploy": """
            vercel --prod; vercel promote; vercel rollback; netlify deploy; surge; wrangler deploy
            wrangler publish; wrangler pages deploy; wrangler versions deploy; vercel redeploy
            vercel alias set; wrangler pages publish; wrangler triggers deploy; fly launch
            fly machine update; heroku container:push; swa deploy; firebase hosting:clone
            kamal app boot; cf deploy; cargo stylus deploy; supabase config push; pac code push
            gcloud run services update; doctl apps update; aws codepipeline start-pipeline-execution
            az pipelines run; gh workflow run deploy*; ibmcloud ce app update; scw function deploy
            drone build promote; fly deploy; railway up; railway deploy; render deploys create
            heroku container:release; heroku releases:rollback; heroku rollback
            heroku pipelines:promote; firebase deploy; firebase hosting:channel:deploy; amplify push
            amplify publish; supabase functions deploy; supabase db push; prisma migrate deploy
            convex deploy; deployctl deploy; deno deploy; serverless deploy; sls deploy
            serverless remove; gcloud app deploy; gcloud run deploy; gcloud functions deploy
            gcloud workflows deploy; aws lambda update-function-code; aws ecs update-service
            aws elasticbeanstalk update-environment; eb deploy; az webapp deploy; az webapp up
            az functionapp deploy; az functionapp deployment source; az webapp restart
            az webapp config appsettings set; az containerapp up; az containerapp create
            az containerapp update; azd deploy; az staticwebapp create; az storage blob upload
            az storage blob upload-batch; az storage blob sync; az artifacts universal publish
            aws s3 cp * s3://*; aws s3 mv * s3://*; aws s3 rm; aws apprunner start-deployment
            aws amplify start-deployment; aws amplify start-job; aws codebuild start-build
            ampx pipeline-deploy; ampx deploy; gcloud deploy releases create
            gcloud deploy releases promote; gcloud storage cp ** gs://*
            gcloud storage rsync * gs://*; gsutil cp ** gs://*; gsutil rsync * gs://*
            wrangler versions upload; heroku deploy:jar; ibmcloud ce app create
            scw container deploy; scp ** *:*; rsync ** *:*; sftp; lftp; rclone copy; rclone copyto
            rclone sync; rclone move; rclone moveto; rclone rcat; flyway migrate; liquibase update
            atlas migrate apply; hasura migrate apply; hasura deploy; clasp deploy; spin deploy
            waypoint up; snow app deploy; snow app run; databricks bundle deploy
            dagster-cloud ci deploy; ray job submit; firebase appdistribution:distribute
            eas build --auto-submit; eas build --auto-submit-with-profile; appcenter distribute
            shopify theme publish; clasp push; azd up; func azure functionapp publish; cf push
            dokku git:sync; kamal deploy; kamal setup; kamal redeploy; cap * deploy; mina deploy
            dep deploy; vapor deploy; expo publish; eas update; eas submit; waypoint deploy
            dokku ps:rebuild; gcloud builds submit; aws s3 sync; sf project deploy start
            sf project:deploy:start; sf force:*:deploy; shopify theme push; shopify app deploy
            modal deploy; zappa deploy; zappa update; chalice deploy; doctl apps create-deployment
            scalingo deploy; clever deploy; tsuru app-deploy; upsun push; pm2 deploy
            shipit * deploy; gcloud run services replace; gcloud run jobs deploy
            gcloud run worker-pools deploy; gcloud endpoints services deploy
            gcloud apigee apis deploy; gcloud app versions migrate; aws lambda publish*
            aws lambda update-alias; aws * create*deployment; aws s3api put*; az * * deploy
            az webapp deployment *; publish-azwebapp; dotnet lambda deploy*; jreleaser deploy
            hexo d; hexo deploy; hexo * -d; hexo * --deploy; mvn *:deploy; chromatic
            nx run *:deploy; s3cmd put; s3cmd sync; s5cmd cp; s5cmd sync; mc cp; mc mirror
            azcopy copy; azcopy sync; b2 sync; wrangler r2 object put; wrangler rollback
            ecs-cli compose; faas-cli up; kn service create; kn service update; kn service apply
            kn service delete; kn service import; func deploy; akamai property activate
            railway redeploy; fly secrets set; heroku config:set; heroku builds:create; sky serve up
            twilio serverless:deploy; pac solution import; msbuild *:Publish*
            gh api --method POST repos/*/deployments
            gh api --method POST repos/*/actions/workflows/deploy*/dispatches; nx deploy
            nx run-many --target deploy; nx affected --target deploy""",
    },
}


# The beginning of a command -> the options with which it only says what it would do.
DRY_RUNS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            *("git push", "cargo publish"),
            *("yarn npm publish", "dart pub publish", "flutter pub publish"),
        ),
        "-n --dry-run",
    ),
    "gradle": "-m --dry-run",
    "aws s3": "--dryrun",
    "goreleaser release": "--snapshot",
    "np": "--preview",
    "puppet apply": "--noop",
    "rsync": "-n --dry-run",
    "ko build": "-L --local",
    "supabase db push": "--dry-run --local",
    "ansible": "--module-name=ping --module-name=setup -m=ping -m=setup",
    **dict.fromkeys(("semantic-release", "release-it", "nx release"), "-d --dry-run"),
    **dict.fromkeys(
        (
            *("npm publish", "pnpm publish", "bun publish", "deno publish", "jsr publish"),
            *("poetry publish", "uv publish", "mix hex.publish", "wrangler deploy", "cz bump"),
            *("standard-version", "commit-and-tag-version", "chromatic", "helm", "kubectl"),
            "docker compose",
        ),
        "--dry-run",
    ),
    "ansible-playbook": "-C --check --syntax-check --list-tasks --list-hosts",
}
# Commands that do nothing of an act though their program alone does it.
HARMLESS: Final = (
    *("goreleaser check", "goreleaser build", "goreleaser healthcheck", "vercel build"),
    *("surge list", "surge whoami"),
)
# Commands that copy the first place that they name to the others: a deployment where one of those
# is elsewhere.
TRANSFERS: Final = (
    *("aws s3 sync", "rclone copy", "rclone sync", "rclone move", "s3cmd sync", "s5cmd cp"),
    *("s5cmd sync", "mc cp", "mc mirror", "azcopy copy", "azcopy sync", "b2 sync"),
    *("rclone copyto", "rclone moveto"),
)
# Programs that do this where no subcommand is named -> its subcommand.
DEFAULT_SUBCOMMANDS: Final[Mapping[str, str]] = {"vercel": "deploy", "ghstack": "submit"}


def split_commands(text: str) -> list[str]:
    """Return the commands of a cell of `ACTS`."""
    return [command for part in text.replace("\n", ";").split(";") if (command := part.strip())]


def commands_for_act(act: str) -> tuple[str, ...]:
    """Return the commands that stand for an act, without those that another of them covers."""
    return tuple(
        command
        for command in ACTS[act]
        if not any(command.startswith(f"{other} ") for other in ACTS[act])
    )


def equivalent_commands() -> Iterator[tuple[str, str]]:
    """Yield the pairs (a command, the command of an act that it has the effect of)."""
    for commands in ACTS.values():
        for command, others in commands.items():
            yield from ((other, command) for other in split_commands(others))


# How programs that no act lists call what they do.
VERBS: Final[Mapping[str, str]] = {
    PULL_REQUEST: "pr create; pr new; mr create; mr new; pull-request",
    MERGE: "pr merge; mr merge",
    RELEASE: "release; releases create",
    PUBLISH: "publish; upload; push; submit",
    DEPLOY: "deploy; promote; redeploy; deployments create",
}


def act_verbs() -> dict[str, frozenset[str]]:
    """Return, for each command that stands for an act, what other programs call it."""
    return {
        command: frozenset(split_commands(verbs))
        for act, verbs in VERBS.items()
        for command in ACTS[act]
    }
